"""Drives."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from ftlab import _ftlab
from ftlab._words import assignments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    #: A drive: one that was made, or what `Drive` makes one of.
    DriveLike: TypeAlias = "Drive | str | os.PathLike[str] | Mapping[str, Any]"


class Drive:
    """A drive: the numbers of a drive file, some of them set.

    `source` is a name of `drives()`, the path of a drive file (.toml), the text of one, or its content as a dictionary.
    `settings` sets numbers by their dotted keys, in the unit that the file has for them: `{"spare.op": 0.28}`. `name` is
    what results call a drive that was given as a text or a dictionary, and its random streams are named after it.

    Raises `InputError` when there is no such drive, or none can be as it says.
    """

    __slots__ = ("_native",)

    def __init__(
        self,
        source: DriveLike,
        settings: Mapping[str, Any] | None = None,
        *,
        name: str = "drive",
    ) -> None:
        numbers = assignments(settings)
        if isinstance(source, Drive):
            native = source._native.with_settings(numbers)
        elif isinstance(source, Mapping):
            native = _ftlab.Drive.of_dict(name, dict(source), numbers)
        else:
            source = os.fspath(source)
            of_text = "\n" in source
            native = (
                _ftlab.Drive.of_text(name, source, numbers) if of_text else _ftlab.Drive.named(source, numbers)
            )
        self._native: _ftlab.Drive = native

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
        """The text of a drive file that says the same by itself, settings included."""
        return self._native.text

    def __reduce__(self) -> tuple[Any, ...]:
        return _of_text, (self.slug, self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Drive) and (self.slug, self.text) == (other.slug, other.text)

    def __hash__(self) -> int:
        return hash((self.slug, self.text))

    def __repr__(self) -> str:
        return f"<ftlab.Drive {self.slug}: {self.name}>"


def _of_text(slug: str, text: str) -> Drive:
    """The drive that was pickled."""
    return Drive(text, name=slug)


def drive(given: DriveLike) -> Drive:
    """What callers give as a drive, as one."""
    return given if isinstance(given, Drive) else Drive(given)


def several(given: DriveLike | Iterable[DriveLike]) -> list[Drive]:
    """What callers give as one drive or as several, as a list."""
    if isinstance(given, (Drive, str, os.PathLike, Mapping)):
        return [Drive(given)]
    return [drive(each) for each in given]
