"""A drive in somebody else's simulator."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ftlab import _ftlab
from ftlab._drive import Drive
from ftlab._ftlab import Completion, InputError
from ftlab._words import seed as seed_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ftlab._drive import DriveLike

#: The latest instant: what means "however long it takes".
_NEVER = (1 << 64) - 1


class Lost(NamedTuple):
    """A range whose newest data a power cut has taken."""

    #: Its first byte.
    offset: int
    #: Its length.
    bytes: int
    #: True if it is made of the newest version and an older one; False if it is as it was before.
    is_torn: bool


class PowerCut(NamedTuple):
    """What a power cut has come to."""

    #: The seed that decided.
    seed: int
    #: Slots of which a volatile buffer held something; none of a drive with capacitors.
    volatile_slots: int
    #: What is lost.
    lost: list[Lost]
    #: Numbers of the commands that were outstanding, of which nobody will hear.
    outstanding: list[int]


def _whole(name: str, value: Any) -> int:
    """A number of bytes or nanoseconds, of NumPy's types too."""
    try:
        number = operator.index(value)
    except TypeError:
        number = -1
    if isinstance(value, bool) or not 0 <= number <= _NEVER:
        raise InputError(f"{name} = {value!r}: give a whole number from 0 on")
    return number


def _wholes(name: str, values: Any) -> list[int]:
    """One such number, or one for each command."""
    listed = values.tolist() if hasattr(values, "tolist") else values
    if not isinstance(listed, Iterable):
        return [_whole(name, listed)]
    return [_whole(name, value) for value in listed]


class Device:
    """A drive in virtual time, for an event loop of your own.

    The caller owns the clock: it submits commands at the present, asks when something happens next, and goes there or to its
    own next event, whichever comes first. The same calls give the same answers to the nanosecond.

    Parameters
    ----------
    drive : str, path, dict or Drive
        As for `Drive`.
    settings : dict, optional
        Numbers of the drive file by their dotted keys: ``{"spare.op": 0.28}``.
    state : str or bytes, default "new"
        What the drive has behind it when its time begins: ``"filled"``, ``"used"``, ``"steady-fast"`` …, or the bytes of
        `save_state()`.
    seed : int, default 1
        Of the drive's draws, and of how it comes to its state.
    testbed : str, optional
        The machine that it is plugged into; that of its time by default.
    shrink_to : int, optional
        Bytes that it holds at most, in smaller blocks: speeds, latencies and write amplification are the same.
    track_power_cuts : bool, default False
        Follow what a power cut would take, without bytes.
    keep_data : bool, default False
        Carry bytes: writes come with data, `read()` gives them, and a power cut takes some.
    split_latencies : bool, default False
        Have each `Completion` say where its latency went.
    faults : str or iterable of str, optional
        What goes wrong with requests, in the words of ``ftlab fault``: ``"error once --on flush"``, ``"drop-flush --after 3"``,
        ``"misdirect --by 4k"``. They come behind those of the drive file.

    Raises
    ------
    InputError
        When there is no such drive, state or testbed, the drive cannot come to the state, or a fault cannot be.

    Examples
    --------
    >>> import ftlab
    >>> device = ftlab.Device("samsung-980-pro-1000", shrink_to=3 << 30, state="filled")
    >>> for n in range(8):
    ...     _ = device.submit("read", n * 4096, 4096)
    >>> ends = []
    >>> while (at_ns := device.next_event_ns) is not None:
    ...     ends += device.advance(at_ns)
    >>> len(ends), all(end.is_good for end in ends)
    (8, True)
    """

    __slots__ = ("_native",)

    def __init__(
        self,
        drive: DriveLike,
        settings: Mapping[str, Any] | None = None,
        *,
        state: str | bytes = "new",
        seed: int = 1,
        testbed: str | None = None,
        shrink_to: int | None = None,
        track_power_cuts: bool = False,
        keep_data: bool = False,
        split_latencies: bool = False,
        faults: str | Iterable[str] = (),
    ) -> None:
        made = drive if isinstance(drive, Drive) and not settings else Drive(drive, settings)
        carries = "data" if keep_data else "account" if track_power_cuts else "nothing"
        saved = state if isinstance(state, bytes) else None
        self._native = _ftlab.Device.build(
            made._native,
            "new" if isinstance(state, bytes) else state,
            saved,
            seed_of(seed),
            testbed,
            None if shrink_to is None else _whole("shrink_to", shrink_to),
            carries,
            split_latencies,
            [faults] if isinstance(faults, str) else list(faults),
        )

    @property
    def name(self) -> str:
        """The name the drive was sold under."""
        return self._native.name

    @property
    def capacity_bytes(self) -> int:
        """Bytes that the host can address."""
        return self._native.capacity_bytes

    @property
    def table_bytes(self) -> int:
        """Bytes of this machine's memory that its tables take, and a copy copies."""
        return self._native.table_bytes

    @property
    def now_ns(self) -> int:
        """The present: the latest instant that it was given."""
        return self._native.now_ns

    @property
    def outstanding(self) -> int:
        """How many commands are outstanding."""
        return self._native.outstanding

    @property
    def next_event_ns(self) -> int | None:
        """The earliest instant at which something happens; None if nothing will."""
        return self._native.next_event_ns

    @property
    def fault(self) -> str | None:
        """Why the drive takes no more writes; None while it does."""
        return self._native.fault

    def submit(
        self,
        operation: str,
        offset: int = 0,
        bytes: int = 0,
        *,
        now_ns: int | None = None,
        id: int | None = None,
        data: bytes | None = None,
    ) -> int:
        """Takes a command and gives its number. Any number may be outstanding.

        Parameters
        ----------
        operation : str
            ``"read"``, ``"write"``, ``"trim"`` or ``"flush"``; a flush of no length is of everything.
        offset, bytes : int
            The range, in multiples of 512. With `data`, its length is that of the data.
        now_ns : int, optional
            The present; as it was by default.
        id : int, optional
            Its number; the next one by default.
        data : bytes, optional
            What a write brings, to a device that keeps data.

        Raises
        ------
        InputError
            When the command does not fit the drive, its number is outstanding, or time would go back or past something that
            happens at the drive. Nothing has changed then.
        """
        length = len(data) if data is not None and bytes == 0 else _whole("bytes", bytes)
        return self._native.submit(
            operation,
            _whole("offset", offset),
            length,
            None if now_ns is None else _whole("now_ns", now_ns),
            None if id is None else _whole("id", id),
            data,
        )

    def advance(self, now_ns: int) -> list[Completion]:
        """Lets everything at or before an instant happen, and gives what ended, in order."""
        return self._native.advance(_whole("now_ns", now_ns))

    def advance_to_completion(self, limit_ns: int | None = None) -> list[Completion]:
        """Lets things happen up to the first instant at which something ends, but nothing after `limit_ns`."""
        return self._native.advance_to_completion(_NEVER if limit_ns is None else _whole("limit_ns", limit_ns))

    def run(
        self,
        operations: str | Iterable[str],
        offsets: Iterable[int],
        bytes: int | Iterable[int],
        *,
        at_ns: Iterable[int] | None = None,
        depth: int | None = None,
    ) -> _ftlab.Table:
        """Sends many commands and waits for all of them, in one call.

        Parameters
        ----------
        operations : str or iterable of str
            What all of them ask for, or each.
        offsets : iterable of int
            Where each begins; an array of NumPy's is one.
        bytes : int or iterable of int
            The length of all, or of each.
        at_ns : iterable of int, optional
            The instant at which each is sent, in order.
        depth : int, optional
            Without `at_ns`, how many are outstanding; 1 by default.

        Returns
        -------
        Table
            A row for each command: `submitted_ns`, `ended_ns`, `lat_ns`, `outcome`, and where the latency went if the device
            splits latencies.

        Raises
        ------
        InputError
            When a command or an instant does not fit; none has been sent then.
        RunError
            When the drive does not answer.

        Examples
        --------
        >>> import ftlab
        >>> device = ftlab.Device("samsung-980-pro-1000", shrink_to=3 << 30, state="filled")
        >>> ends = device.run("read", [n * 65536 for n in range(1000)], 4096, depth=32)
        >>> ends.num_rows, 1e9 * 1000 / device.now_ns > 10_000
        (1000, True)
        """
        return self._native.run(
            [operations] if isinstance(operations, str) else list(operations),
            _wholes("offsets", offsets),
            _wholes("bytes", bytes),
            None if at_ns is None else _wholes("at_ns", at_ns),
            None if depth is None else _whole("depth", depth),
        )

    def read(self, offset: int, bytes: int, end: Completion | None = None) -> bytes:
        """The bytes that the drive holds, without time. Whether its flash still gives them back a read's outcome says.

        With the `end` of a read they are what that read got: a fault may have flipped a bit on the way.
        """
        return self._native.read(_whole("offset", offset), _whole("bytes", bytes), end)

    def power_cut(self, seed: int, now_ns: int | None = None) -> PowerCut:
        """Cuts the power, and switches the drive on again at the same instant.

        What was flushed or programmed is there. Of everything else the seed decides, slot by slot; a drive with capacitors
        loses nothing acknowledged. Raises `InputError` unless the device was made with `track_power_cuts` or `keep_data`.
        """
        number = seed_of(seed)
        slots, lost, outstanding = self._native.power_cut(number, None if now_ns is None else _whole("now_ns", now_ns))
        return PowerCut(number, slots, [Lost(*of) for of in lost], outstanding)

    def copy(self) -> Device:
        """The device in a second future, with all that is outstanding. It copies `table_bytes` once."""
        other = object.__new__(Device)
        other._native = self._native.clone()
        return other

    __copy__ = copy

    def save_state(self) -> bytes:
        """The drive as it would be after a flush, for `state=` of another device and ``ftlab run --from-state``. Data are not in it.

        Raises `InputError` when commands are outstanding.
        """
        return self._native.save_state()

    @property
    def counters(self) -> dict[str, int]:
        """Counts since the drive was made: bytes and pages, buffer stalls, power cycles, and hashes of its operations and completions."""
        return self._native.counters()

    @property
    def smart(self) -> _ftlab.Table:
        """SMART attributes by the numbers and scales of the drive's maker; empty if its file names no maker's set."""
        return self._native.smart()

    @property
    def nvme_logs(self) -> dict[str, Any] | None:
        """The health logs of a drive that speaks NVMe: `health` (02h) and `extended` (OCP's, C0h)."""
        return self._native.nvme_logs()

    def begin_fault(self, fault: str) -> int:
        """Has something go wrong with requests from now on, in the words of ``ftlab fault``, and gives its number.

        Raises `InputError` when the words say no fault, or one that cannot be on this drive.

        Examples
        --------
        >>> import ftlab
        >>> device = ftlab.Device("generic-mlc-8")
        >>> device.begin_fault("error once --on write")
        1
        >>> _ = device.submit("write", 0, 4096)
        >>> [end.outcome for end in device.advance_to_completion()]
        ['write-fault']
        """
        return self._native.begin_fault(fault)

    def end_faults(self, number: int | None = None) -> int:
        """Ends a fault of requests by its number, or all of them, and gives how many there were."""
        return self._native.end_faults(None if number is None else _whole("number", number))

    @property
    def faults(self) -> _ftlab.Table:
        """The faults of requests and what came of them: `number`, `fault`, `concerned`, `hits` and `is_over`."""
        return self._native.faults()

    def inject(self, fault: str, which: int | None = None) -> None:
        """Has something go wrong in the flash, while nothing is outstanding.

        `fault` is ``"bad-block"`` or ``"die"`` with a number, ``"unreadable"`` with a position in bytes, or ``"end-of-life"``.
        Raises `InputError` when it cannot go wrong there.
        """
        self._native.inject(fault, None if which is None else _whole("which", which))

    def __repr__(self) -> str:
        return f"<ftlab.Device {self.name}: {self.outstanding} outstanding at {self.now_ns} ns>"
