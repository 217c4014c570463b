"""What a power cut could have left: states of a crash log, each given to a checker."""

from __future__ import annotations

import os
from collections.abc import Callable

from ftlab import _ftlab
from ftlab._disk import _failed
from ftlab._ftlab import InputError
from ftlab._program import own_words
from ftlab._words import path, progress as hearer, seed as seed_of, whole, word, within

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from typing import Any, TypeAlias

    from ftlab._words import Progress

    #: Checks a state: gets the path of it as a file, and the last mark before the cut. What it raises says why it fails, and
    #: so does a returned False.
    Check: TypeAlias = Callable[[str, str], object]

#: What sh runs for a checker that is a function: asks this process, and gives its answer.
_ASKER = """
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as asked:
    asked.connect(sys.argv[1])
    asked.sendall(json.dumps([sys.argv[2], os.environ["FTLAB_MARK"]]).encode() + b"\\n")
    with asked.makefile() as answer:
        why = json.loads(answer.readline())
if why is not None:
    print(why)
    sys.exit(1)
"""


class Crash:
    """The states of a crash log that were tried; `crash()` makes it."""

    def __init__(self, content: dict[str, Any]) -> None:
        self._content = content

    @property
    def states(self) -> int:
        """How many states were tried; 0 without a checker."""
        return int(self._content.get("states", 0))

    @property
    def failed(self) -> int:
        """How many of them fail."""
        return int(self._content.get("failed", 0))

    @property
    def passes(self) -> bool:
        """Whether no state fails."""
        return self.failed == 0

    @property
    def log(self) -> dict[str, Any]:
        """What the log holds: `writes`, `flushes`, `marks`, `points`, …."""
        held: dict[str, Any] = self._content.get("held", self._content)
        return held

    @property
    def failures(self) -> _ftlab.Table:
        """The states that fail, a row each: `state`, `at_ns`, `mark`, `lost_slots`, `why`."""
        return self._table("failures", "state", "at_ns", "mark", "lost_slots", "why")

    @property
    def reasons(self) -> _ftlab.Table:
        """Why states fail, the most frequent reason first: `why`, with `#` for numbers that differ, and `states`."""
        return self._table("reasons", "why", "states")

    @property
    def marks(self) -> _ftlab.Table:
        """States by the last mark before the cut, in the order of the log: `mark`, `states`, `failed`."""
        return self._table("marks", "mark", "states", "failed")

    def _table(self, rows: str, *names: str) -> _ftlab.Table:
        of = self._content.get(rows, [])
        return _ftlab.Table.from_pydict({name: [row[name] for row in of] for name in names})

    @property
    def smallest(self) -> dict[str, Any] | None:
        """The state with the fewest lost writes that fails, if one does."""
        smallest: dict[str, Any] | None = self._content.get("smallest")
        return smallest

    def to_dict(self) -> dict[str, Any]:
        """All of it, as the command line writes it in JSON.

        Returns
        -------
        dict
        """
        return dict(self._content)

    def _repr_html_(self) -> str:
        return f"<p>{self.failed} of {self.states} states fail</p>" + (self.reasons._repr_html_() if self.failed else "")

    def __repr__(self) -> str:
        return f"<ftlab.Crash: {self.failed} of {self.states} states fail>"


def crash(
    log: str | os.PathLike[str],
    check: str | Check | None = None,
    *,
    states: int = 200,
    at: str = "random",
    seed: int = 1,
    state: str | None = None,
    threads: int | None = None,
    timeout_seconds: float = 60.0,
    keep: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Crash:
    """Tries states that a power cut could have left, as `ftlab crash` does.

    Parameters
    ----------
    log : str or path
        A crash log: of `disk(crash_log=…)`, or of `ftlab serve --crash-log`. The disk must have ended.
    check : callable or str, optional
        Says whether a state is sound. A function gets the path of the state, which it may change, and the last mark before the
        cut; it raises an exception or returns False where the state is not sound. A text is a command for sh, in which ``{}``
        is the path. Without it, only what the log holds is read.
    states : int, default 200
        How many states to draw.
    at : str, default "random"
        When the power goes: at "random" instants, before random flushes ("flush"), before "all" flushes in turn, or at instants
        by number ("17,21").
    seed : int, default 1
        Root of all random streams: the same seed draws the same states.
    state : str, optional
        Try one state, by its name in `failures`.
    threads : int, optional
        Checkers at a time; by default as many as there are cores.
    timeout_seconds : float, default 60.0
        A state whose checker takes longer fails.
    keep : str or path, optional
        A file for the smallest state that fails; without it none is kept.
    progress : bool or callable, optional
        Called with how many checks are done and how many there are to do; True shows that on standard error.

    Returns
    -------
    Crash

    Raises
    ------
    InputError
        When there is no such log, or something else that was asked for is wrong.
    RunError
        When the checker cannot be started.

    Examples
    --------
    >>> import ftlab, os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log = os.path.join(folder, "disk.crash")
    ...     with ftlab.disk("generic-mlc-8", size="16m", timing=False, crash_log=log) as disk:
    ...         client = os.system(f"qemu-io -f raw -c 'write -P 1 0 64k' -c flush '{disk.uri}' > /dev/null")
    ...     tried = ftlab.crash(log, lambda path, mark: True, states=3)
    >>> tried.states, tried.passes
    (3, True)
    """
    import json
    import subprocess
    import tempfile

    if not os.path.isfile(path("log", log, "db.crash")):
        raise InputError(f"log: there is no file {os.fspath(log)}; give the crash log of a disk that has ended")
    hears = hearer(progress, "checks")
    words = ["crash", path("log", log, "db.crash"), "--output-format", "json", "--quiet"]
    total = 1 if state is not None else whole("states", states)
    if state is not None:
        words += ["--state", word("state", state, "8127@1044")]
    elif check is not None:
        words += ["--states", str(total), "--at", word("at", at, "flush"), "--seed", str(seed_of(seed))]
    with tempfile.TemporaryDirectory(prefix="ftlab-") as folder:
        kept = os.path.join(folder, "failed.img") if keep is None else os.fspath(keep)
        if check is not None:
            if not callable(check) and not isinstance(check, str):
                raise InputError(f"check = {check!r}: give a function of a path and a mark, or a command for sh")
            timeout = within("timeout_seconds", timeout_seconds, "seconds, for example 60", 0.001, 1e6)
            words += ["--timeout", f"{round(timeout * 1e3)}ms", "--keep", kept]
            if threads is not None:
                words += ["--jobs", str(whole("threads", threads))]
        if isinstance(check, str) and hears is None:
            done = subprocess.run(
                [*own_words(), *words, "--check", check], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
            )
        elif check is None:
            done = subprocess.run(
                [*own_words(), *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
            )
        else:
            done = _asked(words, check, folder, hears, total)
    # 3 says that states fail, which is an answer.
    if done.returncode not in (0, 3):
        raise _failed(done.returncode, done.stderr)
    content = json.loads(done.stdout)
    if content.get("smallest") and keep is None:
        content["smallest"].pop("kept", None)
    if callable(check):
        # The exit code is that of the bridge to the function.
        for failure in [*content.get("failures", []), *filter(None, [content.get("smallest")])]:
            failure["why"] = failure["why"].removeprefix("exit code 1: ")
    return Crash(content)


def _asked(words: list[str], check: str | Check, folder: str, hears: Callable[[int, int], object] | None, total: int) -> Any:
    """Runs the program with a checker that asks this process."""
    import shlex
    import socket
    import subprocess
    import sys
    import tempfile
    import threading

    place = os.path.join(folder, "check.sock")
    asker = f"{shlex.quote(sys.executable)} -c {shlex.quote(_ASKER)} {shlex.quote(place)}"
    raised: list[BaseException] = []
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(place)
        listener.listen(64)
        count = 0
        lock = threading.Lock()

        def answered(client: socket.socket) -> None:
            nonlocal count
            try:
                _answer(client, check)
            except (OSError, ValueError):
                # The program was ended meanwhile, and nobody waits for the answer.
                return
            with lock:
                count += 1
                try:
                    if hears is not None and count <= total:
                        hears(count, total)
                except BaseException as error:
                    raised.append(error)

        def serve() -> None:
            while True:
                try:
                    client, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=answered, args=(client,), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryFile("w+") as errors:
            process = subprocess.Popen(
                [*own_words(), *words, "--check", f"{asker} {{}}"], stdin=subprocess.DEVNULL, stdout=said, stderr=errors
            )
            try:
                while process.poll() is None and not raised:
                    try:
                        process.wait(0.1)
                    except subprocess.TimeoutExpired:
                        pass
            finally:
                if process.poll() is None:
                    process.terminate()
                    process.wait()
                listener.shutdown(socket.SHUT_RDWR)
            if raised:
                raise raised[0]
            said.seek(0)
            errors.seek(0)
            return subprocess.CompletedProcess(words, process.returncode, said.read(), errors.read())


def _answer(client: socket.socket, check: str | Check) -> None:
    """Checks one state, and says why it fails."""
    import json
    import shlex
    import subprocess

    with client, client.makefile("rw") as talk:
        state, mark = json.loads(talk.readline())
        why: str | None = None
        if isinstance(check, str):
            quoted = shlex.quote(state)
            command = check.replace("{}", quoted) if "{}" in check or "FTLAB_STATE" in check else f"{check} {quoted}"
            names = {**os.environ, "FTLAB_STATE": state, "FTLAB_MARK": mark}
            done = subprocess.run(["sh", "-c", command], env=names, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                lines = (done.stdout + done.stderr).strip().splitlines()
                why = lines[-1] if lines else f"it ended with {done.returncode}"
        else:
            try:
                if check(state, mark) is False:
                    why = "the checker returned False"
            except Exception as error:
                # The first line says it; what comes behind explains it.
                said = str(error).strip().splitlines()
                why = f"{type(error).__name__}: {said[0]}" if said else type(error).__name__
        talk.write(json.dumps(why) + "\n")
        talk.flush()
