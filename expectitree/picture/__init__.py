"""Pictures of searched trees: what is drawn, where it is drawn, and a module for each kind of file."""
