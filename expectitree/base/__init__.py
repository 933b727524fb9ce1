"""What everything stands on: errors, numbers, formulas, the catalogue of searches, the compiler."""
