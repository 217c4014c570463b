"""Five exercises for a course on flash storage: tasks, hidden cases that a seed draws, and a grader.

`python -m ftlab.labs` lists them. What a solution imports is here: a NAND that refuses what a real one cannot do.

    from ftlab.labs import IllegalUse, Nand, Page, PowerOff
"""

from ftlab.labs._nand import IllegalUse, Nand, Page, PowerOff

__all__ = ["IllegalUse", "Nand", "Page", "PowerOff"]
