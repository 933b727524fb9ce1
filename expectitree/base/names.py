"""The known name that someone meant: hints for messages about unknown names."""

from __future__ import annotations

from collections.abc import Iterable

from expectitree.base.numbers import quote

_MAX_LENGTH = 60  # characters that are compared


def nearest(name: str, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """Return the known name that is nearest, without regard to case; None if none is near.

    >>> nearest("Sttar1", ["star1", "star2"])
    'star1'
    """
    from difflib import get_close_matches

    names: dict[str, str] = {}
    for other in known:
        names.setdefault(other.lower(), other)
    near = get_close_matches(name[:_MAX_LENGTH].lower(), names, n=1, cutoff=likeness)
    if near:
        return names[near[0]]
    return None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ` (did you mean 'star1'?)` for the known name that is nearest, if one is near."""
    near = nearest(name, known)
    if near:
        return f" (did you mean {quote(near)}?)"
    return ""
