"""Diagrams of SilverDecisions, a decision tree editor: its JSON files to trees, and back."""
