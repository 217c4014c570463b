"""Disks that misbehave on purpose: `ftlab serve` as a child of this process."""

from __future__ import annotations

import os
import weakref

from ftlab._ftlab import InputError, RunError
from ftlab._program import own_words
from ftlab._words import assignments

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterable, Mapping
    from types import TracebackType
    from typing import Any

#: What `ftlab serve` says last before it waits for clients.
_READY = b"\nready\n"

#: How long a server has to answer what is under way, close its image and end, in seconds.
_PATIENCE_SECONDS = 30.0


def _failed(code: int, said: str) -> Exception:
    """What a program's last words are as an error."""
    text = said.strip().removeprefix("error: ") or f"ftlab ended with {code} and said nothing"
    return InputError(text) if code == 2 else RunError(text)


#: The disks at work that this process has started.
_at_work: weakref.WeakSet[Disk] = weakref.WeakSet()


def _let_go_of_all() -> None:
    """In a process that was forked: the disks are its parent's."""
    for disk in list(_at_work):
        disk._let_go()
    _at_work.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go_of_all)


class Disk:
    """A disk at work; `disk()` makes one.

    It is a context manager: inside of it the disk is there, and afterwards neither a process nor a file of it is left,
    whatever happened inside. If this process is killed the server ends in order, and its folder is left.

    A process that is forked inside can use the disk while it is there. It neither ends nor keeps it, however it ends itself.
    """

    def __init__(
        self, arguments: list[str], image: str | None, ready_seconds: float, crash_log: str | None = None
    ) -> None:
        self._log = crash_log
        self._arguments = arguments
        self._image = image
        self._ready_seconds = ready_seconds
        self._folder: str | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._pid: int | None = None
        self._at: str | None = None

    def __enter__(self) -> Disk:
        import tempfile

        if self._folder is not None:
            raise RunError("this disk is in use already: make another one with ftlab.disk()")
        program = own_words()
        self._folder = tempfile.mkdtemp(prefix="ftlab-")
        _at_work.add(self)
        try:
            self._start(program)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def _start(self, program: list[str]) -> None:
        import subprocess

        assert self._folder is not None
        image = self._image or os.path.join(self._folder, "disk.img")
        self._image = image
        command = [*program, "serve", *self._arguments, "--image", image]
        # The server has a pipe of this process, and ends with it, however that ends.
        command += ["--unix", self.path, "--control", self._control, "--quiet", "--until-stdin-closes"]
        with open(os.path.join(self._folder, "errors"), "wb") as errors:
            # In a session of its own: an interrupt is this process's, which ends the server in order.
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            )
        self._pid = self._process.pid
        said = self._wait_until_ready(self._process)
        for line in said.decode(errors="replace").splitlines():
            if line.startswith("at "):
                self._at = line.removeprefix("at ").strip()

    def _wait_until_ready(self, process: subprocess.Popen[bytes]) -> bytes:
        import select
        import time

        assert process.stdout is not None
        said, deadline = b"", time.monotonic() + self._ready_seconds
        while not said.endswith(_READY):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([process.stdout], [], [], left)[0]:
                raise RunError(f"the disk is not ready after {self._ready_seconds:g} s: {self._errors()}")
            part = os.read(process.stdout.fileno(), 1 << 16)
            if not part:
                raise _failed(process.wait(), self._errors())
            said += part
        return said

    def _errors(self) -> str:
        assert self._folder is not None
        with open(os.path.join(self._folder, "errors"), errors="replace") as errors:
            return errors.read()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        import shutil
        import subprocess

        process, folder = self._process, self._folder
        self._process = self._folder = self._at = self._pid = None
        if self not in _at_work:
            # Of the process that this one was forked from, which ends it.
            return
        _at_work.discard(self)
        try:
            if process is not None:
                process.terminate()
                if process.stdout is not None:
                    process.stdout.close()
                try:
                    process.wait(_PATIENCE_SECONDS)
                except BaseException as why:
                    process.kill()
                    process.wait()
                    if not isinstance(why, subprocess.TimeoutExpired):
                        raise
        finally:
            if process is not None and process.stdin is not None:
                process.stdin.close()
            if folder is not None:
                if self._image is not None and os.path.dirname(self._image) == folder:
                    self._image = None
                shutil.rmtree(folder, ignore_errors=True)

    def _let_go(self) -> None:
        """Leaves the disk to the process that started it, whose end its server waits for at a pipe."""
        process, self._process = self._process, None
        if process is not None:
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
            # It is no child of this process, which neither waits for it nor misses it.
            process.returncode = 0

    def _there(self) -> str:
        if self._folder is None:
            raise RunError("the disk is not at work: use it inside of `with ftlab.disk(...) as disk:`")
        return self._folder

    @property
    def path(self) -> str:
        """The Unix socket at which clients of the network block device find it."""
        return os.path.join(self._there(), "disk.sock")

    @property
    def _control(self) -> str:
        return os.path.join(self._there(), "disk.control")

    @property
    def uri(self) -> str:
        """Where clients find it: `nbd+unix:///?socket=…`."""
        self._there()
        assert self._at is not None
        return self._at

    @property
    def image(self) -> str:
        """The file with its data, or with what changed over its base."""
        self._there()
        assert self._image is not None
        return self._image

    @property
    def pid(self) -> int:
        """The process that serves it."""
        self._there()
        assert self._pid is not None
        return self._pid

    def _tell(self, command: str, *arguments: str) -> str:
        import subprocess

        words = [*own_words(), command, self._control, *arguments]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise _failed(done.returncode, done.stderr)
        return done.stdout

    def cut(self, seed: int | None = None, seconds: float = 0.0) -> str:
        """Cuts its power and switches it on again: connections end, and what was not flushed may be lost.

        `seed` decides what is lost; the disk has a seed of its own for each cut. It is off for `seconds` at least. Says
        what was lost.
        """
        words = ["power-cut", "--for", f"{round(seconds * 1e3)}ms"]
        if seed is not None:
            words += ["--seed", str(seed)]
        return self._tell("fault", *words).strip()

    def fault(self, fault: str, *options: str) -> int | None:
        """Has something go wrong from now on, in the words of `ftlab fault`: `fault("stall 3s")`.

        Gives its number, to end it by, if it goes on until it is ended: `fault("error 1%", "--on", "flush")`.
        """
        import re
        import shlex

        said = self._tell("fault", *shlex.split(fault), *options)
        number = re.match(r"fault (\d+):", said)
        return int(number[1]) if number else None

    def clear(self, number: int | None = None) -> None:
        """Ends a fault by its number, or all of them."""
        self._tell("fault", "clear", *([] if number is None else [str(number)]))

    def reset(self, to: str | None = None) -> None:
        """Goes back to the base it was made on, or to a snapshot. Connections end."""
        self._tell("reset", *([] if to is None else ["--to", to]))

    def snapshot(self, name: str) -> None:
        """Keeps the disk as it is now, to `reset(to=name)`."""
        self._tell("snapshot", name)

    @property
    def crash_log(self) -> str:
        """The log of what clients write, for `ftlab.crash`."""
        self._there()
        if self._log is None:
            raise RunError('this disk has no crash log: give one, as in ftlab.disk("generic-mlc-8", crash_log="db.crash")')
        return self._log

    def mark(self, text: str) -> None:
        """Notes in the crash log how far a program has come: checkers find the last mark before a cut.

        Parameters
        ----------
        text : str
            What the program has promised by now, such as ``"row 17 is committed"``.
        """
        import json
        import socket

        self.crash_log  # noqa: B018
        if not isinstance(text, str) or "\0" in text:
            raise InputError(f"mark = {text!r}: give a word without NUL")
        body = json.dumps({"text": text}).encode()
        head = f"POST /mark HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
        with socket.socket(socket.AF_UNIX) as asked:
            asked.settimeout(_PATIENCE_SECONDS)
            asked.connect(self._control)
            asked.sendall(head.encode() + body)
            with asked.makefile("rb") as answer:
                said = answer.read().decode(errors="replace")
        status, _, rest = said.partition("\r\n")
        if " 200 " not in f"{status} ":
            raise RunError(f"the mark was not taken: {rest.partition(chr(13) + chr(10) + chr(13) + chr(10))[2].strip() or said}")

    def smart(self) -> dict[str, Any]:
        """Its SMART data, as `smartctl --json` has them."""
        import json

        told: dict[str, Any] = json.loads(self._tell("smart", "--output-format", "json"))
        return told


def disk(
    drive: str | os.PathLike[str] | None = None,
    settings: Mapping[str, Any] | None = None,
    *,
    state: str | None = None,
    base: str | os.PathLike[str] | None = None,
    image: str | os.PathLike[str] | None = None,
    size: str | int | None = None,
    seed: int | None = None,
    timing: bool = True,
    sync: bool = False,
    crash_log: str | os.PathLike[str] | None = None,
    options: Iterable[str] = (),
    ready_seconds: float = 120.0,
) -> Disk:
    """A disk that misbehaves on purpose, served by a child of this process as long as the context lasts.

    Parameters
    ----------
    drive : str or path, optional
        A name of `drives()`, or the path of a drive file.
    settings : dict, optional
        Numbers of the drive to set, by their dotted keys.
    state : str, optional
        The state in which it begins, such as "used".
    base : str or path, optional
        An image in place of a drive. It is only read, and `reset()` goes back to it.
    image : str or path, optional
        A file for the data; without it they lie in a folder that is removed in the end.
    size : str or int, optional
        Less capacity than the drive has, such as "256m".
    seed : int, optional
        Root of everything random in it.
    timing : bool, default True
        Without it, the disk answers as fast as possible.
    sync : bool, default False
        A flush waits for this machine's disk.
    crash_log : str or path, optional
        A new file that logs what clients write, with its data, for `crash()`.
    options : iterable of str
        Further words for `ftlab serve`.
    ready_seconds : float, default 120.0
        The longest wait until it is there.

    Returns
    -------
    Disk
        A context manager.

    Notes
    -----
    The program ftlab is found by ``$FTLAB`` or on the path.

    Examples
    --------
    >>> import ftlab
    >>> with ftlab.disk("generic-mlc-8", size="64m") as disk:
    ...     stall = disk.fault("stall 100ms")
    ...     disk.smart()["model_name"] != ""
    True
    """
    if drive is None and base is None and image is None:
        raise InputError('give a drive, such as "generic-mlc-8", or a base, which is an image')
    words = [] if drive is None else ["--drive", os.fspath(drive)]
    for assignment in assignments(settings):
        words += ["--set", assignment]
    given = {"--state": state, "--base": base, "--size": size, "--seed": seed}
    for option, value in given.items():
        if value is not None:
            words += [option, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]
    words += ["--timing", "model" if timing else "off"]
    if sync:
        words.append("--sync")
    log = None if crash_log is None else os.path.abspath(os.fspath(crash_log))
    if log is not None:
        words += ["--crash-log", log]
    words += options
    return Disk(words, None if image is None else os.path.abspath(os.fspath(image)), ready_seconds, log)
