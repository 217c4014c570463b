"""A host that writes and reads through a student's FTL and checks every answer, and a NAND that counts what the FTL does."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any, NoReturn

from ftlab.labs._nand import IllegalUse, Nand, Page
from ftlab.labs._text import printable


class Fault(Exception):
    """A hand-in did what an FTL must not do."""


class Unusable(Exception):
    """A hand-in that cannot be called: it is no Python, or lacks what the skeleton has."""


class WatchedNand(Nand):
    """A NAND that remembers what was refused and what was read, and ends a run that uses it without end."""

    def __init__(self, blocks: int, pages_per_block: int, operations_max: int, over: Callable[[str], NoReturn]) -> None:
        super().__init__(blocks, pages_per_block)
        self._operations_left = operations_max
        self._over = over
        #: What was refused first, though the hand-in may have caught the exception.
        self.refused = ""
        #: The data of pages read during one request of the host.
        self.seen: set[bytes] = set()

    def read(self, block: int, page: int) -> Page | None:
        self._count()
        held = super().read(block, page)
        if held is not None:
            self.seen.add(held.data)
        return held

    def program(self, block: int, page: int, data: bytes, oob: bytes = b"") -> None:
        self._count()
        super().program(block, page, data, oob)

    def erase(self, block: int) -> None:
        self._count()
        super().erase(block)

    def _count(self) -> None:
        self._operations_left -= 1
        if self._operations_left < 0:
            self._over("it asked the NAND far more often than any FTL needs")

    def _refuse(self, why: str) -> NoReturn:
        self.refused = self.refused or why
        raise IllegalUse(why)


class Host:
    """Writes data that nobody can guess, and knows what each logical page must give.

    What is served is counted in `measured`, so that a run which ends early says how far it came.
    """

    def __init__(self, nand: WatchedNand, logical_pages: int, seed: str, measured: dict[str, Any]) -> None:
        self.nand = nand
        self.logical_pages = logical_pages
        self._seed = seed
        self._measured = measured
        measured.setdefault("served", 0)
        #: What each logical page holds.
        self.holds: list[bytes | None] = [None] * logical_pages
        #: What all data that were ever written are, for words about them.
        self._written: dict[bytes, tuple[int, int]] = {}
        self.writes = 0

    def next_data(self, lpn: int) -> bytes:
        """Data for the next write of a logical page."""
        self.writes += 1
        text = f"{self._seed}/{lpn}/{self.writes}".encode()
        data = hashlib.blake2b(text, digest_size=self.nand.page_bytes).digest()
        self._written[data] = (lpn, self.writes)
        return data

    def write(self, ftl: Any, lpn: int, *more: object) -> None:
        """A write, which must come back with nothing."""
        self._measured["request"] = f"write of logical page {lpn}, the host's request {self._measured['served'] + 1}"
        data = self.next_data(lpn)
        answer = ftl.write(lpn, data, *more)
        self.check_legal()
        if answer is not None:
            raise Fault(f"write returned {_short(answer)}; it must return nothing")
        self.holds[lpn] = data
        self._measured["served"] += 1

    def read(self, ftl: Any, lpn: int) -> None:
        """A read, which must give what was written last, out of the NAND."""
        self._measured["request"] = f"read of logical page {lpn}, the host's request {self._measured['served'] + 1}"
        wrong = self.wrong(self.answer(ftl, lpn), lpn)
        if wrong:
            raise Fault(wrong)
        self._measured["served"] += 1

    def answer(self, ftl: Any, lpn: int) -> Any:
        """What a read gives, whatever that is."""
        self.nand.seen.clear()
        answer = ftl.read(lpn)
        self.check_legal()
        return answer

    def wrong(self, answer: Any, lpn: int) -> str:
        """What is wrong with the answer to a read; nothing if it is right."""
        due = self.holds[lpn]
        if answer is not None and type(answer) is not bytes:
            return f"read returned {_short(answer)}; it must return bytes, or None where nothing was written"
        if answer != due:
            return f"read of logical page {lpn} gave {self._named(answer, lpn)} and must give {self._named(due, lpn)}"
        if due is not None and due not in self.nand.seen:
            return f"read of logical page {lpn} gave the right data, and read no page that holds them: data belong on the NAND"
        return ""

    def is_written(self, answer: object) -> bool:
        """Whether these data were ever written."""
        return answer in self._written

    def check_legal(self) -> None:
        """A refusal that the hand-in caught is one all the same."""
        if self.nand.refused:
            raise IllegalUse(self.nand.refused)

    def _named(self, data: bytes | None, lpn: int) -> str:
        if data is None:
            return "None"
        if data not in self._written:
            return "bytes that nobody wrote"
        whose, number = self._written[data]
        if data == self.holds[lpn]:
            return "what was written last"
        return f"what an earlier write (write {number}) left there" if whose == lpn else f"data of logical page {whose}"


def _short(value: object) -> str:
    """A value in few letters, whatever its class says of it."""
    try:
        text = repr(value)
    except Exception:  # what a hand-in's class does is not ours
        text = "no text"
    return f"{type(value).__name__} {printable(text[:40])}"
