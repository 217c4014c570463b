"""Lab 1: data on a NAND that cannot be overwritten."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ftlab import theory
from ftlab.labs import _cost
from ftlab.labs._host import Host, WatchedNand
from ftlab.labs._lab import Case, Draws, Ending, Lab, Verdict

if TYPE_CHECKING:
    from ftlab.labs._bench import Bench

REQUESTS = 1500
#: What is not counted as cost: closed forms know no drive of so few blocks.
SLACK = 0.25
#: The share of a case's marks that right answers are worth.
FOR_ANSWERS = 0.6
LOOK = "How many pages does your program copy for one write, and could the copying wait until more of them are out of date?"
#: Blocks that no host's data lie in: an open one, and an erased one to copy to.
KEPT = 2

KINDS = {
    "one-page": "one logical page, written again and again",
    "in-order": "all logical pages in order, over and over",
    "at-random": "logical pages at random",
    "hot": "nine of ten writes to a tenth of the logical pages",
    "full": "logical pages at random, with little spare room",
}


def cases(draws: Draws) -> list[Case]:
    """One of each kind, each with a size of its own."""
    return [Case(kind, what, _numbers(draws, kind)) for kind, what in KINDS.items()]


def _numbers(draws: Draws, kind: str) -> dict[str, int | str]:
    blocks, pages = draws.between(14, 26), draws.one_of((4, 6, 8, 10, 12))
    share = draws.between(72, 78) if kind == "full" else draws.between(40, 55)
    logical = (blocks - KEPT) * pages * share // 100
    return {"kind": kind, "blocks": blocks, "pages_per_block": pages, "logical_pages": logical, "seed": draws.below(1 << 30)}


def _page(draws: Draws, kind: str, pages: int, count: int) -> int:
    """The logical page of the next request."""
    if kind == "in-order":
        return count % pages
    if kind == "one-page":
        return pages // 2
    if kind == "hot" and draws.share() < 0.9:
        return draws.below(max(1, pages // 10))
    return draws.below(pages)


def run(case: Case, bench: Bench) -> None:
    """A write and its read to begin with; then requests, of which a fifth reads; in the end all is read."""
    numbers = case.numbers
    pages, kind = numbers["logical_pages"], numbers["kind"]
    draws = Draws(f"erase/{numbers['seed']}")
    measured = bench.measured
    measured.update(requests=2 + REQUESTS + pages, programs=0, writes=0)
    # One that copies a whole block for each write is slow, and right.
    operations = 4 * numbers["pages_per_block"] * REQUESTS
    nand = WatchedNand(numbers["blocks"], numbers["pages_per_block"], operations, bench.over)
    host = Host(nand, pages, f"{numbers['seed']}", measured)
    ftl = bench.fresh()(nand, pages)
    first = _page(draws, kind, pages, 0)
    host.write(ftl, first)
    host.read(ftl, first)
    writes = 0
    for _ in range(REQUESTS):
        if draws.share() < 0.2:
            host.read(ftl, draws.below(pages))
        else:
            writes += 1
            host.write(ftl, _page(draws, kind, pages, writes))
    for lpn in range(pages):
        host.read(ftl, lpn)
    measured.update(programs=nand.programs, writes=host.writes)


def known(case: Case) -> dict[str, float]:
    """What the best costs, and copying a whole block for each write."""
    numbers = case.numbers
    pages = numbers["pages_per_block"]
    alpha = (numbers["blocks"] - KEPT) * pages / numbers["logical_pages"]
    best = theory.greedy(alpha, pages) if numbers["kind"] in ("at-random", "hot", "full") else 1.0
    return {"closed form": best, "a block for each write": float(pages)}


def verdict(case: Case, ending: Ending) -> Verdict:
    """Right answers, and write amplification between the closed form and a whole block for each write."""
    return _cost.judged(ending, known(case), FOR_ANSWERS, SLACK, lambda *_: LOOK)


LAB = Lab(1, "erase", "a NAND without overwriting", "ftl.py", "Ftl", cases, run, verdict, known)
