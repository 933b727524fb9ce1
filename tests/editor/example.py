"""The tree that the tests of the editor start with."""

TEXT = "# mine\nmax:\n  a: 3  # sure\n  b: {chance: [0, 10]}\n"
