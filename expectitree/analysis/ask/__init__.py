"""Which unknown utility matters most, and when is the decision certain?"""
