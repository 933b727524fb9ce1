"""Exit statuses; 0 is all is well."""

DOES_NOT_HOLD, WRONG_USAGE, NO_TREE, INTERRUPTED = 1, 2, 3, 130
