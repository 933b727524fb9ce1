"""Exact algebra in one variable: polynomials, their quotients, and piecewise functions of them."""
