"""Words for a run that ended before its end: what went wrong, and what to look at."""

from __future__ import annotations

from ftlab.labs._lab import Ending

#: By how a run ended: what to look at.
LOOK = {
    "fault": "Follow that logical page through your tables by hand: where was it written last, and which entry says so?",
    "unusable": "Begin with the skeleton, and keep its names.",
    "illegal": "The NAND takes the pages of a block in order, and each once until the block is erased. "
    "Which page did your program believe to be the next one there?",
    "missing": "That part of the skeleton is still to be written. Begin with the smallest thing that can be right.",
    "raised": "Make the same requests by hand in Python, with a small NAND, and look at what that line is given.",
    "recursion": "A function calls itself without end. What makes it stop?",
    "memory": "Which list or table grows with every request? An FTL's tables have the size of the drive.",
    "steps": "What ends the loop there, and what changes in each of its rounds?",
    "operations": "Which loop asks the NAND, and what ends it? Collecting a block whose pages are all valid gains nothing.",
    "refused": "Look at what your function returns, and at the case where all candidates look alike.",
    "crashed": "A hand-in returns from its functions; it does not end Python.",
    "time": "It waits for something, or one call works without end. The cases after it were not run.",
    "not-run": "A case before this one had to be stopped by the clock.",
}


def wrong(ending: Ending) -> str:
    """What went wrong, and where."""
    where = f" at line {ending.line}" if ending.line else ""
    request = ending.measured.get("request")
    during = f", during the {request}" if request else ""
    return {
        "fault": f"{ending.message}{during}.",
        "unusable": f"{ending.message}.",
        "illegal": f"The NAND refused an operation{where}{during}: {ending.message}.",
        "missing": f"`NotImplementedError` was raised{where}.",
        "raised": f"{ending.message} was raised{where}{during}.",
        "recursion": f"`RecursionError` was raised{where}{during}.",
        "memory": f"There was no memory left{where}{during}.",
        "steps": f"Your program was stopped{where}{during}: {ending.message}.",
        "operations": f"Your program was stopped{during}: {ending.message}.",
        "refused": f"The drive ended the run{where}: {ending.message}.",
        "crashed": f"Your program's process is gone: {ending.message}.",
        "time": f"Your program was stopped: {ending.message}.",
        "not-run": "This case was not run.",
    }[ending.how]
