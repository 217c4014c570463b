"""Closed forms of write amplification: of a page-mapped drive in the steady state of random writes of one page.

`alpha` is physical over logical pages, 1 + over-provisioning, and above 1. `pages_per_block` is the size of a block.
Results are write amplification, pages programmed over pages written by the host, unless a function says otherwise. Arrays give
arrays, one value for each place; numbers give numbers. Outside of its domain, a formula raises `InputError`.

Examples
--------
>>> from ftlab import theory
>>> round(theory.greedy(1.28, 256), 3)
2.461
>>> import numpy
>>> theory.greedy(numpy.array([1.07, 1.28]), 256).round(3)
array([7.597, 2.461])
"""

from __future__ import annotations

from ftlab._ftlab import InputError, theory as _forms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    import numpy.typing

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


def _over(form: Callable[..., Any], *given: Any) -> Any:
    """A form of numbers, or of each place of arrays: lists and what NumPy makes arrays of, too."""
    if all(isinstance(value, (int, float)) for value in given):
        return form(*given)
    for value in given:
        if isinstance(value, (str, bytes)) or value is None:
            raise InputError(f"{value!r} is no number; give a number or an array of numbers")
    if all(getattr(value, "ndim", int(hasattr(value, "__len__"))) == 0 for value in given):
        return form(*(value.item() if hasattr(value, "item") else value for value in given))
    import numpy

    arrays = numpy.broadcast_arrays(*(numpy.asarray(value) for value in given))
    places = [form(*(value.item() for value in values)) for values in zip(*(array.flat for array in arrays))]
    made = numpy.array(places)
    return made.reshape(arrays[0].shape + made.shape[1:])


def fifo(alpha: numpy.typing.ArrayLike) -> Any:
    """Blocks are collected in the order in which they were written (Desnoyers 2014).

    Parameters
    ----------
    alpha : float or array
        Physical over logical pages, above 1.

    Returns
    -------
    float or array
        Write amplification.

    Examples
    --------
    >>> from ftlab import theory
    >>> round(theory.fifo(1.07), 2)
    7.82
    """
    return _over(_forms.fifo, alpha)


def greedy(alpha: numpy.typing.ArrayLike, pages_per_block: numpy.typing.ArrayLike) -> Any:
    """The block with the fewest valid pages is collected (Desnoyers 2014).

    Parameters
    ----------
    alpha : float or array
        Physical over logical pages, above 1.
    pages_per_block : int or array
        Pages of a block.

    Returns
    -------
    float or array
        Write amplification.

    Examples
    --------
    >>> from ftlab import theory
    >>> round(theory.greedy(1.07, 256), 2)
    7.6
    """
    return _over(_forms.greedy, alpha, pages_per_block)


def random(alpha: numpy.typing.ArrayLike) -> Any:
    """Any block is collected, each as likely as the others.

    Parameters
    ----------
    alpha : float or array
        Physical over logical pages, above 1.

    Returns
    -------
    float or array
        Write amplification.

    Examples
    --------
    >>> from ftlab import theory
    >>> theory.random(1.28) > theory.fifo(1.28)
    True
    """
    return _over(_forms.random, alpha)


def choices(alpha: numpy.typing.ArrayLike, pages_per_block: numpy.typing.ArrayLike, draws: numpy.typing.ArrayLike) -> Any:
    """The best of `draws` blocks drawn at random is collected (Van Houdt 2013).

    Parameters
    ----------
    alpha : float or array
        Physical over logical pages, above 1.
    pages_per_block : int or array
        Pages of a block.
    draws : int or array
        Blocks that are drawn.

    Returns
    -------
    float or array
        Write amplification.

    Examples
    --------
    >>> from ftlab import theory
    >>> theory.choices(1.28, 256, 10) > theory.greedy(1.28, 256)
    True
    """
    return _over(_forms.choices, alpha, pages_per_block, draws)


def fifo_occupancy(alpha: numpy.typing.ArrayLike, pages_per_block: numpy.typing.ArrayLike) -> Any:
    """The shares of the blocks that hold 0, 1, … valid pages under `fifo`.

    Parameters
    ----------
    alpha : float or array
        Physical over logical pages, above 1.
    pages_per_block : int or array
        Pages of a block.

    Returns
    -------
    list of float or array
        The shares of the blocks that hold 0, 1, … valid pages; of an array a row for each place.

    Examples
    --------
    >>> from ftlab import theory
    >>> len(theory.fifo_occupancy(1.28, 64))
    65
    """
    return _over(_forms.fifo_occupancy, alpha, pages_per_block)


def greedy_occupancy(alpha: numpy.typing.ArrayLike, pages_per_block: numpy.typing.ArrayLike) -> Any:
    """The shares of the blocks that hold 0, 1, … valid pages under `greedy`.

    Parameters
    ----------
    alpha : float or array
        Physical over logical pages, above 1.
    pages_per_block : int or array
        Pages of a block.

    Returns
    -------
    list of float or array
        The shares of the blocks that hold 0, 1, … valid pages; of an array a row for each place.

    Examples
    --------
    >>> from ftlab import theory
    >>> round(sum(theory.greedy_occupancy(1.28, 64)), 6)
    1.0
    """
    return _over(_forms.greedy_occupancy, alpha, pages_per_block)


def choices_occupancy(alpha: numpy.typing.ArrayLike, pages_per_block: numpy.typing.ArrayLike, draws: numpy.typing.ArrayLike) -> Any:
    """The shares of the blocks that hold 0, 1, … valid pages under `choices`.

    Parameters
    ----------
    alpha : float or array
        Physical over logical pages, above 1.
    pages_per_block : int or array
        Pages of a block.
    draws : int or array
        Blocks that are drawn.

    Returns
    -------
    list of float or array
        The shares of the blocks that hold 0, 1, … valid pages; of an array a row for each place.

    Examples
    --------
    >>> from ftlab import theory
    >>> len(theory.choices_occupancy(1.28, 64, 10))
    65
    """
    return _over(_forms.choices_occupancy, alpha, pages_per_block, draws)


def fifo_mixed(alpha: numpy.typing.ArrayLike, classes: Sequence[tuple[float, float]]) -> Any:
    """`fifo` where addresses are written at several rates.

    Parameters
    ----------
    alpha : float or array
        Physical over logical pages, above 1.
    classes : sequence of pairs
        Of each class its share of the addresses and of the writes.

    Returns
    -------
    float or array
        Write amplification.

    Examples
    --------
    >>> from ftlab import theory
    >>> theory.fifo_mixed(1.28, [(0.2, 0.8), (0.8, 0.2)]) > 1
    True
    """
    pairs = list(classes)
    return _over(lambda of: _forms.fifo_mixed(of, pairs), alpha)


def spare_by_root(classes: Sequence[tuple[float, float]]) -> list[float]:
    """The share of the spare area that each class gets, in separate logs, so that the whole writes least.

    Parameters
    ----------
    classes : sequence of pairs
        Of each class its share of the addresses and of the writes.

    Returns
    -------
    list of float
        A share for each class; all together are 1.

    Examples
    --------
    >>> from ftlab import theory
    >>> [round(share, 3) for share in theory.spare_by_root([(0.5, 0.5), (0.5, 0.5)])]
    [0.5, 0.5]
    """
    return _forms.spare_by_root(list(classes))


def in_use_after_trims_of_used(trims: numpy.typing.ArrayLike) -> Any:
    """The share of the addresses in use when this share of the requests trims one that is in use.

    Parameters
    ----------
    trims : float or array
        The share of the requests that trim.

    Returns
    -------
    float or array
        A share of the addresses.

    Examples
    --------
    >>> from ftlab import theory
    >>> 0 < theory.in_use_after_trims_of_used(0.1) < 1
    True
    """
    return _over(_forms.in_use_after_trims_of_used, trims)


def in_use_after_trims_of_any(trims: numpy.typing.ArrayLike) -> Any:
    """The share of the addresses in use when this share of the requests trims any.

    Parameters
    ----------
    trims : float or array
        The share of the requests that trim.

    Returns
    -------
    float or array
        A share of the addresses.

    Examples
    --------
    >>> from ftlab import theory
    >>> 0 < theory.in_use_after_trims_of_any(0.1) < 1
    True
    """
    return _over(_forms.in_use_after_trims_of_any, trims)


def alpha_in_use(alpha: numpy.typing.ArrayLike, in_use: numpy.typing.ArrayLike) -> Any:
    """Alpha when this share of the addresses is in use.

    Parameters
    ----------
    alpha : float or array
        Physical over logical pages, above 1.
    in_use : float or array
        The share of the addresses in use.

    Returns
    -------
    float or array
        Physical pages over pages in use.

    Examples
    --------
    >>> from ftlab import theory
    >>> round(theory.alpha_in_use(1.28, 0.5), 2)
    2.56
    """
    return _over(_forms.alpha_in_use, alpha, in_use)
