"""How risky each action is: the distribution of what MAX receives in all."""

FORMATS = ("text", "json", "csv")
