"""Expressions over numbers and named parameters, such as `pr*sens + (1 - pr)*(1 - spec)`.

`parser` turns text into a syntax tree (`syntax`); `evaluation` computes its value over a domain.
"""
