"""What does a search do, step by step?"""
