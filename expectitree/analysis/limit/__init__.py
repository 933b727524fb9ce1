"""How few leaves would have been enough to prove the result?"""
