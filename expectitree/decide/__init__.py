"""Wing: what the best decision depends on, its risk, and what information is worth."""
