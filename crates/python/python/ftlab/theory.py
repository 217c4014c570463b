"""Closed forms of write amplification: what a page-mapped drive comes to in the steady state of random writes of one page.

`alpha` is physical over logical pages, 1 + over-provisioning, and above 1. `pages_per_block` is the size of a block.
Results are write amplification, pages programmed over pages written by the host, unless a function says otherwise. Out
of its domain, a formula raises `InputError`.
"""

from __future__ import annotations

from ftlab._ftlab import theory as _forms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "alpha_in_use",
    "choices",
    "choices_occupancy",
    "fifo",
    "fifo_mixed",
    "fifo_occupancy",
    "greedy",
    "greedy_occupancy",
    "in_use_after_trims_of_any",
    "in_use_after_trims_of_used",
    "random",
    "spare_by_root",
]


def fifo(alpha: float) -> float:
    """Blocks are collected in the order in which they were written (Desnoyers 2014)."""
    return _forms.fifo(alpha)


def greedy(alpha: float, pages_per_block: int) -> float:
    """The block with the fewest valid pages is collected (Desnoyers 2014)."""
    return _forms.greedy(alpha, pages_per_block)


def random(alpha: float) -> float:
    """Any block is collected, each as likely as the others."""
    return _forms.random(alpha)


def choices(alpha: float, pages_per_block: int, draws: int) -> float:
    """The best of `draws` blocks drawn at random is collected (Van Houdt 2013)."""
    return _forms.choices(alpha, pages_per_block, draws)


def fifo_occupancy(alpha: float, pages_per_block: int) -> list[float]:
    """The shares of the blocks that hold 0, 1, … valid pages under `fifo`."""
    return _forms.fifo_occupancy(alpha, pages_per_block)


def greedy_occupancy(alpha: float, pages_per_block: int) -> list[float]:
    """The shares of the blocks that hold 0, 1, … valid pages under `greedy`."""
    return _forms.greedy_occupancy(alpha, pages_per_block)


def choices_occupancy(alpha: float, pages_per_block: int, draws: int) -> list[float]:
    """The shares of the blocks that hold 0, 1, … valid pages under `choices`."""
    return _forms.choices_occupancy(alpha, pages_per_block, draws)


def fifo_mixed(alpha: float, classes: Sequence[tuple[float, float]]) -> float:
    """`fifo` where addresses are written at several rates: of each class its share of the addresses and of the writes."""
    return _forms.fifo_mixed(alpha, list(classes))


def spare_by_root(classes: Sequence[tuple[float, float]]) -> list[float]:
    """The share of the spare area that each class gets, in separate logs, so that the whole writes least."""
    return _forms.spare_by_root(list(classes))


def in_use_after_trims_of_used(trims: float) -> float:
    """The share of the addresses in use when this share of the requests trims one that is in use."""
    return _forms.in_use_after_trims_of_used(trims)


def in_use_after_trims_of_any(trims: float) -> float:
    """The share of the addresses in use when this share of the requests trims any."""
    return _forms.in_use_after_trims_of_any(trims)


def alpha_in_use(alpha: float, in_use: float) -> float:
    """What alpha comes to when this share of the addresses is in use."""
    return _forms.alpha_in_use(alpha, in_use)
