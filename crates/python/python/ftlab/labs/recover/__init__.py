"""Lab 5: what was programmed is found again after the power went, and nothing else."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ftlab.labs import _ends
from ftlab.labs._host import Fault, Host, WatchedNand
from ftlab.labs._lab import Case, Draws, Ending, Lab, Verdict
from ftlab.labs._nand import PowerOff

if TYPE_CHECKING:
    from ftlab.labs._bench import Bench

#: The shares of a case's marks that whole recoveries are worth, and how few pages they read.
FOR_RECOVERIES, FOR_READS = 0.9, 0.1
#: The most that a recovery is worth after which some pages are lost or old.
FOR_SOME = 0.5
#: Words about data that nobody wrote begin with this.
TORN = "torn: "


def cases(draws: Draws) -> list[Case]:
    """Cuts early, late, in collection, in recoveries, and soon after one another."""
    made = []
    for name, what, cuts, least, most, again in (
        ("first-writes", "cuts before all logical pages are written", 6, 3, 12, 0),
        ("long-use", "cuts after long use, with collection at work", 8, 150, 400, 0),
        ("little-spare", "cuts with little spare room, so that most happen during a collection", 10, 60, 160, 0),
        ("soon-again", "many cuts, each a few writes after the last one", 30, 1, 6, 0),
        ("while-it-recovers", "cuts, of which many come while the drive recovers or just after it", 14, 20, 80, 70),
    ):
        pages, blocks = draws.one_of((6, 8, 10)), draws.between(14, 20)
        share = draws.between(70, 74) if name == "little-spare" else draws.between(50, 60)
        numbers: dict[str, Any] = {
            "blocks": blocks,
            "pages_per_block": pages,
            "logical_pages": (blocks - 3) * pages * share // 100,
            # After how many programs and erases each cut comes, and how many after it the next, during the recovery.
            "cuts": [draws.between(least, most) for _ in range(cuts)],
            "again": [draws.between(0, 3) if draws.below(100) < again else None for _ in range(cuts)],
            "seed": draws.below(1 << 30),
        }
        made.append(Case(name, what, numbers))
    return made


class _Drive:
    """A hand-in's FTL through power cuts."""

    def __init__(self, case: Case, bench: Bench) -> None:
        numbers = case.numbers
        self._bench = bench
        self._draws = Draws(f"recover/{numbers['seed']}")
        self._pages = numbers["logical_pages"]
        operations = 40 * sum(numbers["cuts"]) + 200 * len(numbers["cuts"]) * numbers["blocks"] * numbers["pages_per_block"]
        self.nand = WatchedNand(numbers["blocks"], numbers["pages_per_block"], operations, bench.over)
        self._host = Host(self.nand, self._pages, f"{numbers['seed']}", bench.measured)
        #: The write that is under way, or that the last cut met: its logical page, and the data.
        self._in_flight: tuple[int, bytes] | None = None
        self._mount()

    def _mount(self) -> None:
        """Whatever the hand-in held in memory is gone: a new module makes a new FTL of what the NAND holds."""
        self._bench.measured["request"] = "start on what the NAND holds"
        self._ftl = self._bench.fresh()(self.nand, self._pages)
        self._host.check_legal()

    def write_until_cut(self, after: int, tear: int) -> None:
        """Writes to random pages until the power goes."""
        with self._cut(after, tear):
            self._write_on()

    def start(self, again: int | None, tear: int) -> list[str]:
        """Starts after a cut, and says what is wrong then. If `again` says so, another cut comes while it starts or soon after."""
        wrong: list[str] = []
        if again is not None:
            with self._cut(again, tear):
                self._mount()
                wrong += self._settle()
                self._write_on()
        before = self.nand.reads
        self._mount()
        self._bench.measured["reads"] += self.nand.reads - before
        return wrong + self._settle()

    @contextlib.contextmanager
    def _cut(self, after: int, tear: int) -> Iterator[None]:
        self.nand.cut_power(after, tear)
        try:
            yield
        except PowerOff:
            self._host.check_legal()
        self.nand.restore_power()

    def _write_on(self) -> None:
        while True:
            self._write(self._draws.below(self._pages))

    def _write(self, lpn: int) -> None:
        """A write that holds from when it has returned."""
        data = self._host.next_data(lpn)
        self._in_flight = (lpn, data)
        self._bench.measured["request"] = f"write of logical page {lpn}"
        before = self.nand.programs
        answer = self._ftl.write(lpn, data)
        self._host.check_legal()
        if answer is not None:
            raise Fault("write returned something; it must return nothing")
        if self.nand.programs == before:
            raise Fault("write returned, and no page was programmed: what is only in memory is lost with the power")
        self._host.holds[lpn] = data
        self._in_flight = None

    def _settle(self) -> list[str]:
        """Reads all pages, and says what is wrong; what is wrong is written again, so that the next cut is judged by itself.
        A write that a cut met is done or not, and stays what it is."""
        found = []
        met, self._in_flight = self._in_flight, None
        for lpn in range(self._pages):
            self._bench.measured["request"] = f"read of logical page {lpn} after a power cut"
            answer = self._host.answer(self._ftl, lpn)
            if met is not None and met == (lpn, answer):
                self._host.holds[lpn] = met[1]
            wrong = self._host.wrong(answer, lpn)
            if wrong:
                found.append((lpn, (TORN if answer is not None and not self._host.is_written(answer) else "") + wrong))
        for lpn, _ in found:
            self._write(lpn)
        return [words for _, words in found]


def run(case: Case, bench: Bench) -> None:
    """Writes, cuts and starts; after each start all logical pages are read."""
    numbers, measured = case.numbers, bench.measured
    measured.update(cuts=len(numbers["cuts"]), whole=0.0, starts=0, reads=0, wrong=[])
    drive = _Drive(case, bench)
    for number, (after, again) in enumerate(zip(numbers["cuts"], numbers["again"]), 1):
        drive.write_until_cut(after, 2 * number)
        wrong = drive.start(again, 2 * number + 1)
        measured["starts"] += 1
        if not wrong:
            measured["whole"] += 1
            continue
        torn = [words for words in wrong if words.startswith(TORN)]
        measured["wrong"].append([number, len(wrong), (torn or wrong)[0]])
        if not torn:
            measured["whole"] += FOR_SOME * max(0.0, 1 - len(wrong) / numbers["logical_pages"])


def known(case: Case) -> dict[str, float]:
    """What a start must read at most: each page once."""
    return {"pages": float(case.numbers["blocks"] * case.numbers["pages_per_block"])}


def verdict(case: Case, ending: Ending) -> Verdict:
    """Recoveries that found all, and pages that a start read beside those that there are."""
    share = FOR_RECOVERIES * ending.share("whole", "cuts")
    starts, wrong = ending.measured.get("starts", 0), ending.measured.get("wrong", [])
    said = f"{starts - len(wrong)} of {ending.measured.get('cuts', 0)} recoveries found all"
    if ending.how != "done":
        return Verdict(share, said, _ends.wrong(ending), _look(ending))
    pages = known(case)["pages"]
    reads = ending.measured["reads"] / starts
    said += f"; a start read {reads:.0f} pages of {pages:.0f}"
    if wrong:
        number, count, words = wrong[0]
        pages_were = "logical page was" if count == 1 else "logical pages were"
        what = f"After cut {number}, {count} {pages_were} wrong; for example, {words.removeprefix(TORN)}."
        return Verdict(share, said, what, _lost(words))
    near = min(1.0, max(0.0, 2 - reads / pages))
    if near > 0.5:
        return Verdict(share + FOR_READS * near, said)
    look = "What does one pass over all pages have to remember, so that no page is read again?"
    return Verdict(share + FOR_READS * near, said, f"A start read {reads / pages:.1f} times as many pages as there are.", look)


def _lost(words: str) -> str:
    if words.startswith(TORN):
        return (
            "A torn page was served. What beside the data can tell that both, the data and what lies beside them, were programmed "
            "whole?"
        )
    return (
        "What was programmed whole must be found, and the newest of a logical page must win. What beside the data says whose they "
        "are, and which of two is newer, also after a collection and a second start?"
    )


def _look(ending: Ending) -> str:
    if ending.how == "illegal":
        return (
            "A page or an erase that a cut met is begun, even where it reads as erased. Leave a block alone that was open at the cut, "
            "and erase a block before its first use after a start."
        )
    if ending.how == "raised" and ending.measured.get("starts", 0):
        return (
            "Two things are new after a cut: what lies beside the data may be torn as well, so check it before you use a number of "
            "it; and each cut leaves a block half used, so look at how your program comes by erased blocks again."
        )
    return _ends.LOOK[ending.how]


LAB = Lab(5, "recover", "recovery after the power went", "ftl.py", "Ftl", cases, run, verdict, known)
