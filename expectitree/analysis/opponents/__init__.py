"""Does the decision change against an opponent who makes mistakes?"""
