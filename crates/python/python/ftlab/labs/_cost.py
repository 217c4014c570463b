"""What a hand-in's FTL costs: a load until its steady state, and marks between two figures that are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ftlab.labs import _ends
from ftlab.labs._host import Host, WatchedNand
from ftlab.labs._lab import Case, Draws, Ending, Verdict, position

if TYPE_CHECKING:
    from ftlab.labs._bench import Bench

#: How often all that is in use is written over until the drive is in its steady state, and while it is measured.
PASSES_BEFORE, PASSES_MEASURED = 3, 2
#: Reads for each write.
READS = 0.05
#: From here on, marks are as good as all, and nothing is said of them.
NEAR = 0.75
#: Operations of the NAND for each write, at most: an FTL with ten copies for a write needs half of that.
OPERATIONS_MAX = 40


def steady(case: Case, bench: Bench, fill: Sequence[tuple[Any, ...]], write: Callable[[], tuple[Any, ...]]) -> None:
    """Writes all of `fill`, then what `write` says until as much was written some times over. Counts the programs of the last
    passes, and reads all pages in the end. What is written is a logical page, with more for the hand-in's `write` behind it.
    """
    numbers, measured = case.numbers, bench.measured
    pages, seed = numbers["logical_pages"], numbers["seed"]
    draws = Draws(f"reads/{seed}")
    count = len(fill) * (PASSES_BEFORE + PASSES_MEASURED)
    reads = [draws.below(pages) if draws.share() < READS else None for _ in range(count)]
    requests = len(fill) + count + sum(lpn is not None for lpn in reads) + pages
    measured.update(requests=requests, programs=0, writes=0)
    nand = WatchedNand(numbers["blocks"], numbers["pages_per_block"], OPERATIONS_MAX * requests, bench.over)
    host = Host(nand, pages, f"{seed}", measured)
    ftl = bench.fresh()(nand, pages)
    for first in fill:
        host.write(ftl, *first)
    before = 0
    for number, lpn in enumerate(reads):
        if number == len(fill) * PASSES_BEFORE:
            before = nand.programs
        if lpn is not None:
            host.read(ftl, lpn)
        host.write(ftl, *write())
    measured.update(programs=nand.programs - before, writes=len(fill) * PASSES_MEASURED)
    for lpn in range(pages):
        host.read(ftl, lpn)


def judged(
    ending: Ending, known: dict[str, float], for_answers: float, slack: float, look: Callable[[float, float], str]
) -> Verdict:
    """Marks for right answers, `for_answers` of all, and for write amplification: the first of what is `known` is worth all of
    the others, the second half of them. `look` says what to look at, given the cost and the second of these.
    """
    if ending.how != "done":
        served = f"{ending.measured.get('served', 0)} of {ending.measured.get('requests', 0)} requests served"
        share = for_answers * ending.share("served", "requests")
        return Verdict(share, served, _ends.wrong(ending), _ends.LOOK[ending.how])
    (best_name, best), (half_name, half) = list(known.items())[:2]
    cost = ending.share("programs", "writes")
    near = position(cost, best, half, slack)
    share = for_answers + (1 - for_answers) * near
    said = f"write amplification {cost:.3f}; {best_name} {best:.3f}, {half_name} {half:.3f}"
    if near > NEAR:
        return Verdict(share, said)
    return Verdict(share, said, dear(cost, best), look(cost, half))


def dear(cost: float, best: float) -> str:
    """What is wrong with a program whose answers are right."""
    return f"Each write costs {cost:.3f} programs, and {best:.3f} would do."
