"""Text of others, for a terminal."""

from __future__ import annotations


def printable(text: str) -> str:
    """A text on one line, with what moves a cursor, or is no text, written out.

    Examples
    --------
    >>> printable("two\\nlines")
    'two\\\\nlines'
    """
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
