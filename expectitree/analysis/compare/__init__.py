"""How do the algorithms compare on the same tree?"""
