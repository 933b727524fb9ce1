"""How do algorithms compare on many random trees?"""
