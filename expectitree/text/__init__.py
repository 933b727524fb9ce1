"""What all terminal output shares: styles, tables, phrases, and how values and intervals are written."""
