"""Lab 4: data apart by how soon they are written again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ftlab import theory
from ftlab.labs import _cost
from ftlab.labs._lab import Case, Draws, Ending, Lab, Verdict

if TYPE_CHECKING:
    from ftlab.labs._bench import Bench

#: The closed form knows neither open blocks nor small drives; a program that has to guess the streams needs more.
SLACK, SLACK_GUESSED = 0.06, 0.12
FOR_ANSWERS = 0.1

#: The share of the logical pages and of the writes that each class has, in percent.
TWO = (((10, 90), (90, 10)), ((20, 80), (80, 20)), ((8, 75), (92, 25)))
THREE = (((5, 60), (25, 30), (70, 10)), ((10, 70), (20, 20), (70, 10)))
STRONG = (((10, 90), (90, 10)), ((8, 90), (92, 10)))


def cases(draws: Draws) -> list[Case]:
    """Three with the host's handles and two without."""
    handles = "each write names its placement handle"
    return [
        Case("two-handles", f"hot and cold data; {handles}", _numbers(draws, draws.one_of(TWO), True)),
        Case("three-handles", f"data of three kinds; {handles}", _numbers(draws, draws.one_of(THREE), True)),
        Case("odd-handles", f"hot and cold data, the hot under the higher handle; {handles}", _odd(draws)),
        Case("no-handles", "hot and cold data; no write says which", _numbers(draws, draws.one_of(STRONG), False)),
        Case("scattered", "hot and cold data, each all over the drive; no write says which", _scattered(draws)),
    ]


def _numbers(draws: Draws, classes: tuple[tuple[int, int], ...], has_handles: bool) -> dict[str, Any]:
    pages = draws.one_of((8, 12, 16))
    blocks = draws.between(1700, 2000) // pages
    spare_pct = draws.between(15, 25)
    # An open block for each class, and an erased one to copy to.
    kept = 1 + len(classes)
    return {
        "blocks": blocks,
        "pages_per_block": pages,
        "logical_pages": (blocks - kept) * pages * 100 // (100 + spare_pct),
        "alpha": 1 + spare_pct / 100,
        "classes": classes,
        "handles": tuple(range(len(classes))) if has_handles else (),
        "stride": 1,
        "seed": draws.below(1 << 30),
    }


def _odd(draws: Draws) -> dict[str, Any]:
    numbers = _numbers(draws, draws.one_of(TWO), True)
    low = draws.between(1, 9)
    return {**numbers, "handles": (low + draws.between(1, 9), low)}


def _scattered(draws: Draws) -> dict[str, Any]:
    # A prime that divides no number of logical pages of a drive so small: a step over it meets each page once.
    return {**_numbers(draws, draws.one_of(STRONG), False), "stride": draws.one_of((3001, 4001, 5003))}


class _Load:
    """Writes of the classes, each of which has a range of places; a stride scatters the places over the drive."""

    def __init__(self, numbers: dict[str, Any]) -> None:
        self._pages: int = numbers["logical_pages"]
        self._stride: int = numbers["stride"]
        self._draws = Draws(f"streams/{numbers['seed']}")
        self._handles = numbers["handles"]
        self._classes: list[list[int]] = []
        begin = 0
        for addresses, writes in numbers["classes"]:
            end = begin + self._pages * addresses // 100
            self._classes.append([begin, end, writes])
            begin = end
        self._classes[-1][1] = self._pages

    def _at(self, place: int) -> int:
        return place * self._stride % self._pages

    def _handle(self, number: int) -> int | None:
        return self._handles[number] if self._handles else None

    def in_order(self) -> list[tuple[int, int | None]]:
        """Each logical page once, with its handle."""
        handles: list[int | None] = [None] * self._pages
        for number, (begin, end, _) in enumerate(self._classes):
            for place in range(begin, end):
                handles[self._at(place)] = self._handle(number)
        return list(enumerate(handles))

    def write(self) -> tuple[int, int | None]:
        """A logical page to write next, and its handle."""
        point = 100 * self._draws.share()
        number = 0
        while number + 1 < len(self._classes) and point >= self._classes[number][2]:
            point -= self._classes[number][2]
            number += 1
        begin, end, _ = self._classes[number]
        return self._at(begin + self._draws.below(end - begin)), self._handle(number)


def run(case: Case, bench: Bench) -> None:
    """The drive is filled in order, and written over and over."""
    load = _Load(case.numbers)
    _cost.steady(case, bench, load.in_order(), load.write)


def known(case: Case) -> dict[str, float]:
    """Logs apart, with spare area by the square root; with spare area by size, which is as much as for uniform writes."""
    numbers = case.numbers
    alpha, pages = numbers["alpha"], numbers["pages_per_block"]
    classes = [(addresses / 100, writes / 100) for addresses, writes in numbers["classes"]]
    shares = theory.spare_by_root(classes)
    apart = 0.0
    for (addresses, writes), share in zip(classes, shares):
        apart += writes * theory.greedy(1 + (alpha - 1) * share / addresses, pages)
    return {"apart, spare by root": apart, "apart, spare by size": theory.greedy(alpha, pages)}


def verdict(case: Case, ending: Ending) -> Verdict:
    """Right answers, and write amplification between the closed forms of separate logs."""
    slack = SLACK if case.numbers["handles"] else SLACK_GUESSED
    return _cost.judged(ending, known(case), FOR_ANSWERS, slack, lambda cost, half: _look(case, cost, half))


def _look(case: Case, cost: float, half: float) -> str:
    """What to look at where copies are too many."""
    if not case.numbers["handles"]:
        return (
            "No handle says which data are hot: how long ago was a logical page written last, and does your program use that? Do "
            "collected pages, which were not written for long, lie apart from new ones?"
        )
    if cost > half:
        return "Do data of two handles ever lie in one block, also after they were collected?"
    return (
        f"Data are apart, which alone gives {half:.3f}. Who has the spare area? A stream that has more invalid pages than its share "
        "by the square root of writes times pages should give blocks."
    )


LAB = Lab(4, "streams", "hot and cold data apart", "ftl.py", "Ftl", cases, run, verdict, known)
