"""Drives."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from ftlab import _ftlab
from ftlab._ftlab import InputError
from ftlab._tables import Tabular
from ftlab._words import assignments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias, overload

    from matplotlib.axes import Axes

    #: A drive: one that was made, or what `Drive` makes one of.
    DriveLike: TypeAlias = "Drive | str | os.PathLike[str] | Mapping[str, Any]"

    #: Says which candidate of a view is collected next.
    VictimPolicy: TypeAlias = Callable[[_ftlab.VictimView], _ftlab.Candidate]

    #: Says whether the next row of what is being collected is copied now.
    PacingPolicy: TypeAlias = Callable[[_ftlab.PacingView], bool]


class Drive:
    """A drive: the numbers of a drive file, some of them set.

    Parameters
    ----------
    source : str, path, dict or Drive
        A name of `drives()`, the path of a drive file (.toml), the text of one, or its content as a dictionary.
    settings : dict, optional
        Numbers by their dotted keys, in the unit that the file has for them: ``{"spare.op": 0.28}``.
    name : str, default "drive"
        The name in results of a drive that was given as a text or a dictionary; its random streams are named after it.
    victim : callable, optional
        Collection asks it in place of the policies that come with ftlab, and results call it ``python:`` and its name. It gets
        a `VictimView` for each superblock that is to be collected, and returns one of its candidates.
    pacing : callable, optional
        It gets a `PacingView` after each slot that the host writes while something is being collected, and after each row of
        copies, and returns whether the next row is copied now.

    Raises
    ------
    InputError
        When there is no such drive, or its numbers make none.

    Notes
    -----
    What `victim` and `pacing` return must follow from what they get: copies of a drive ask the same function, in any order. An
    exception of theirs ends the run. Calls are slow, and a sweep takes no drive that makes some.

    Examples
    --------
    >>> import ftlab
    >>> drive = ftlab.Drive("intel-x25-e-32", {"spare.op": 0.28})
    >>> drive.kind, drive.flash_bytes > drive.capacity_bytes
    ('ssd', True)
    """

    __slots__ = ("_native", "_functions")

    def __init__(
        self,
        source: DriveLike,
        settings: Mapping[str, Any] | None = None,
        *,
        name: str = "drive",
        victim: VictimPolicy | None = None,
        pacing: PacingPolicy | None = None,
    ) -> None:
        numbers = assignments(settings)
        functions: tuple[object, object] = (None, None)
        if isinstance(source, Drive):
            native = source._native.with_settings(numbers)
            functions = source._functions
        elif isinstance(source, Mapping):
            native = _ftlab.Drive.of_dict(name, dict(source), numbers)
        elif not isinstance(source, (str, os.PathLike)):
            raise InputError(f"drive: {source!r} is none; give a name of drives(), the path or the text of a drive file, or its content")
        else:
            source = os.fspath(source)
            of_text = "\n" in source
            native = (
                _ftlab.Drive.of_text(name, source, numbers) if of_text else _ftlab.Drive.named(source, numbers)
            )
        if victim is not None or pacing is not None:
            native = native.asking(victim, pacing)
        self._native: _ftlab.Drive = native
        self._functions: tuple[object, object] = (
            functions[0] if victim is None else victim,
            functions[1] if pacing is None else pacing,
        )

    @property
    def slug(self) -> str:
        """What names it on the command line and in results."""
        return self._native.slug

    @property
    def name(self) -> str:
        """The name it was sold under."""
        return self._native.name

    @property
    def summary(self) -> str:
        """One sentence: what it is built of."""
        return self._native.summary

    @property
    def aliases(self) -> list[str]:
        """Other names, as sources use them."""
        return self._native.aliases

    @property
    def kind(self) -> str:
        """`ssd`, `disk` or `ram`."""
        return self._native.kind

    @property
    def capacity_bytes(self) -> int:
        """Bytes that the host can address."""
        return self._native.capacity_bytes

    @property
    def flash_bytes(self) -> int | None:
        """Bytes of flash, spare bytes of pages left out; None without flash."""
        return self._native.flash_bytes

    @property
    def parameters(self) -> _ftlab.Table:
        """Every number of the drive file with its unit, source and confidence."""
        return self._native.parameters

    @property
    def text(self) -> str:
        """The text of a drive file that says the same by itself, settings included.

        Raises `InputError` when the drive asks functions, which no file can say.
        """
        if self._native.callables:
            asked = " and ".join(self._native.callables)
            raise InputError(f"no drive file can say {asked}, which this drive asks: keep the program that makes it")
        return self._native.text

    def __reduce__(self) -> tuple[Any, ...]:
        return _of_text, (self.slug, self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Drive) and self._says() == other._says()

    def __hash__(self) -> int:
        return hash(self._says())

    def _says(self) -> tuple[object, ...]:
        return self.slug, self._native.text, self._functions

    def __repr__(self) -> str:
        return f"<ftlab.Drive {self.slug}: {self.name}>"


class Drives(Tabular, Sequence[str]):
    """The drives that come with ftlab: a table that is a sequence of their names, too.

    The columns are `drive` (the name that calls take), `name`, `year`, `kind`, `port`, `capacity_bytes`, `flash_bytes`,
    `rated_cycles`, `rated_bytes` and `summary`.

    Examples
    --------
    >>> import ftlab
    >>> drives = ftlab.drives()
    >>> "intel-320-120" in drives
    True
    >>> frame = drives.to_pandas()
    >>> "samsung-pm9a3-960" in frame[(frame.year >= 2021) & (frame.port == "pcie4x4")].drive.tolist()
    True
    """

    def __init__(self, table: _ftlab.Table) -> None:
        #: The table.
        self.table = table
        self._names: list[str] = table["drive"].to_list()

    @property
    def _as_table(self) -> _ftlab.Table:
        return self.table

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, at: int) -> str: ...
        @overload
        def __getitem__(self, at: slice) -> list[str]: ...
        @overload
        def __getitem__(self, at: str) -> _ftlab.Column: ...

    def __getitem__(self, at: Any) -> Any:
        return self.table[at] if isinstance(at, str) else self._names[at]

    def __len__(self) -> int:
        return len(self._names)

    def __eq__(self, other: object) -> bool:
        return self._names == (other._names if isinstance(other, Drives) else other)

    __hash__ = None  # type: ignore[assignment]

    @property
    def column_names(self) -> list[str]:
        """The names of the columns; a unit stands last in a name."""
        return self.table.column_names

    def plot(self, x: str = "year", y: str = "capacity_bytes", *, by: str | None = None, ax: Axes | None = None, **options: Any) -> Axes:
        """Draws a column over another.

        Parameters
        ----------
        x : str, default "year"
            The column along the axis.
        y : str, default "capacity_bytes"
            The column that is drawn.
        by : str, optional
            A line for each value of this column.
        ax : matplotlib.axes.Axes, optional
            Axes to draw into; new ones without it.
        **options
            Passed on to Matplotlib.

        Returns
        -------
        matplotlib.axes.Axes
        """
        return self.table.plot(x, y, by=by, ax=ax, **options)

    def _repr_html_(self) -> str:
        return self.table._repr_html_()

    def __repr__(self) -> str:
        return f"<ftlab.Drives: {', '.join(self._names[:3])}, … {len(self)} in all>"


def drives() -> Drives:
    """The drives that come with ftlab.

    Returns
    -------
    Drives
        A table; as a sequence it has the names that calls take.

    Examples
    --------
    >>> import ftlab
    >>> len(list(ftlab.drives())) > 50
    True
    >>> ftlab.drives().table.column_names[:3]
    ['drive', 'name', 'year']
    """
    return Drives(_ftlab.catalogue())


def _of_text(slug: str, text: str) -> Drive:
    """The drive that was pickled."""
    return Drive(text, name=slug)


def drive(given: DriveLike) -> Drive:
    """What callers give as a drive, as one."""
    if not isinstance(given, (Drive, str, os.PathLike, Mapping)):
        raise InputError(f"drive: {given!r} is none; give a name of drives(), the path or the text of a drive file, or a Drive")
    return given if isinstance(given, Drive) else Drive(given)


def by_name(given: DriveLike | Mapping[str, DriveLike]) -> list[tuple[str, _ftlab.Drive]]:
    """A drive without a name, or several by the names that loads have for them.

    A dictionary is either: the content of a drive file says its schema, and is one drive.
    """
    if not isinstance(given, Mapping) or "schema" in given:
        return [("", drive(given)._native)]
    if not given:
        raise InputError("drive: there is none; give at least one")
    named = []
    for name, of in given.items():
        if not isinstance(name, str) or not name:
            raise InputError(f"drive: {name!r} is no name of a drive; give the word that filenames of jobs have for it")
        if not isinstance(of, (Drive, str, os.PathLike, Mapping)):
            raise InputError(f"drive: {name} is {of!r}; give a drive, or for the content of a drive file its schema, too")
        named.append((name, drive(of)._native))
    return named


def several(given: DriveLike | Iterable[DriveLike]) -> list[Drive]:
    """What callers give as one drive or as several, as a list."""
    if isinstance(given, (Drive, str, os.PathLike, Mapping)):
        return [Drive(given)]
    if not isinstance(given, Iterable):
        raise InputError(f"drives: {given!r} is none; give a drive or a list of drives")
    return [drive(each) for each in given]
