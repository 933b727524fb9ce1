"""Does the decision change when the utilities are replaced?"""
