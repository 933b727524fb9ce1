"""The grammar of a tree file: one reader and one writer, whatever the format."""
