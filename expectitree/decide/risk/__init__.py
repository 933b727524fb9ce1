"""How risky each action is: the distribution of the total."""

FORMATS = ("text", "json", "csv")
