"""Lab 2: a page map, and greedy collection beside its closed form."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from ftlab import theory
from ftlab.labs import _cost
from ftlab.labs._lab import Case, Draws, Ending, Lab, Verdict

if TYPE_CHECKING:
    from ftlab.labs._bench import Bench

SLACK = 0.03
FOR_ANSWERS = 0.2
#: Blocks that hold no data to count on: an open one, and an erased one to copy to.
KEPT = 2


def cases(draws: Draws) -> list[Case]:
    """Three of random writes, one where a part of the drive is in use, and one of writes in order."""
    made = []
    for number, (least, most) in enumerate([(12, 16), (18, 24), (26, 34)], 1):
        numbers = _numbers(draws, draws.between(least, most))
        made.append(Case(f"uniform-{number}", "random writes, all logical pages alike", numbers))
    numbers = _numbers(draws, draws.between(12, 16))
    numbers["in_use"] = numbers["logical_pages"] * draws.between(70, 85) // 100
    made.append(Case("partly-full", "random writes to a part of the logical pages; the others are never written", numbers))
    numbers = _numbers(draws, draws.between(12, 20))
    numbers["in_order"] = 1
    made.append(Case("in-order", "all logical pages in order, over and over", numbers))
    return made


def _numbers(draws: Draws, spare_pct: int) -> dict[str, int]:
    pages = draws.one_of((8, 12, 16))
    blocks = draws.between(1500, 1800) // pages
    logical = (blocks - KEPT) * pages * 100 // (100 + spare_pct)
    seed = draws.below(1 << 30)
    return {
        "blocks": blocks,
        "pages_per_block": pages,
        "logical_pages": logical,
        "in_use": logical,
        "in_order": 0,
        "seed": seed,
    }


def run(case: Case, bench: Bench) -> None:
    """The pages in use are written in order, then over and over."""
    numbers = case.numbers
    in_use = numbers["in_use"]
    draws = Draws(f"collect/{numbers['seed']}")
    in_order = itertools.cycle(range(in_use))

    def write() -> tuple[int]:
        return (next(in_order) if numbers["in_order"] else draws.below(in_use),)

    _cost.steady(case, bench, [(lpn,) for lpn in range(in_use)], write)


def known(case: Case) -> dict[str, float]:
    """The closed forms of greedy and FIFO collection."""
    numbers = case.numbers
    pages = numbers["pages_per_block"]
    if numbers["in_order"]:
        return {"in order": 1.0, "a copy for each write": 2.0}
    alpha = (numbers["blocks"] - KEPT) * pages / numbers["logical_pages"]
    alpha = theory.alpha_in_use(alpha, numbers["in_use"] / numbers["logical_pages"])
    return {"greedy": theory.greedy(alpha, pages), "FIFO": theory.fifo(alpha)}


def verdict(case: Case, ending: Ending) -> Verdict:
    """Right answers, and write amplification between the closed forms."""
    return _cost.judged(ending, known(case), FOR_ANSWERS, SLACK, lambda *_: _look(case))


def _look(case: Case) -> str:
    """What to look at where copies are too many."""
    if case.numbers["in_order"]:
        return "Written in order, whole blocks become invalid one after the other: why is anything copied at all?"
    if case.numbers["in_use"] < case.numbers["logical_pages"]:
        return "Logical pages that were never written are spare room, too. How many blocks does your program keep erased?"
    return (
        "Is the block with the fewest valid pages collected, of all full blocks? Does an overwrite make the old page invalid at "
        "once? How many blocks are kept erased that could hold data?"
    )


LAB = Lab(2, "collect", "a page map and greedy collection", "ftl.py", "Ftl", cases, run, verdict, known)
