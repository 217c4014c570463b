"""The labs: right hand-ins have all marks, wrong ones as many as they are near, and nothing that a hand-in does stops the grader."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ftlab
from ftlab.labs import _bench, _process, _steps, collect, erase, recover, streams, victim
from ftlab.labs._command_line import main
from ftlab.labs._grade import Grade, grade
from ftlab.labs._lab import Lab, position
from ftlab.labs._labs import LABS, by_name

SOLUTIONS = Path(__file__).parent / "labs"
PACKAGE = Path(ftlab.__file__).parent / "labs"

#: The steps that a right solution may take of those that there are: what is left is for those who are new to it.
STEPS_SHARE = 0.1


def solution(lab: str) -> str:
    return (SOLUTIONS / f"{lab}.py").read_text()


@pytest.fixture
def graded(tmp_path: Path):
    """Grades a text as a hand-in."""

    def call(lab: str, text: str, seed: int = 1, **limits: float) -> Grade:
        file = tmp_path / by_name(lab).file
        file.write_text(text)
        return grade(by_name(lab), file, seed, _process.Limits(**limits))

    return call


@pytest.fixture
def first_case(monkeypatch: pytest.MonkeyPatch, graded):
    """Grades a text by the first case of lab 1 alone: for what does not depend on the case."""
    whole = erase.LAB
    one = Lab(**{**vars(whole), "cases": lambda draws: whole.cases(draws)[:1]})
    monkeypatch.setattr("ftlab.labs._labs.LABS", (one,))
    return lambda text, **limits: graded("erase", text, **limits)


def said(found: Grade) -> str:
    return "\n".join(line for wrong, look in found.hints() for line in (*wrong, look))


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
def test_a_right_solution_has_nearly_all_marks_whatever_the_seed(lab: Lab, graded) -> None:
    for seed in (1, 20261):
        found = graded(lab.name, solution(lab.name), seed)
        assert found.marks >= 90, (seed, said(found))
        assert found.marks == sum(case.marks for case in found.cases) and found.of == sum(case.of for case in found.cases) == 100
    # The same seed gives the same marks, to the last letter.
    assert graded(lab.name, solution(lab.name), seed) == found


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
def test_a_skeleton_has_no_marks_and_is_shown_where_to_begin(lab: Lab, graded) -> None:
    skeleton = (PACKAGE / lab.name / lab.file).read_text()
    found = graded(lab.name, skeleton)
    assert found.marks == 0
    line = next(number for number, text in enumerate(skeleton.splitlines(), 1) if "NotImplementedError" in text)
    assert f"`NotImplementedError` was raised at line {line}." in said(found)
    assert "still to be written" in said(found)


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
def test_right_solutions_need_a_part_of_the_steps_that_there_are(lab: Lab) -> None:
    for case in lab.drawn(1):
        bench = _bench.Bench(str(SOLUTIONS / f"{lab.name}.py"), lab.entry, None)  # type: ignore[arg-type]
        lab.run(case, bench)
        assert 0 < _bench.STEPS_MAX - bench._steps_left < STEPS_SHARE * _bench.STEPS_MAX, case.name


#: A lab, what of its right solution is replaced, by what, the marks that are left, and what the hints say.
WRONG = {
    "fifo": (
        "collect",
        "min(self.full, key=lambda block: self.valid[block])",
        "next(block for block in self.full if self.valid[block] < self.nand.pages_per_block)",
        (50, 80),
        "fewest valid pages",
    ),
    "many blocks kept erased": ("collect", "while not self.free:", "while len(self.free) < 6:", (50, 90), "blocks are kept erased"),
    "greedy where data are hot": (
        "victim",
        "return max(view.candidates, key=worth)",
        "return min(view.candidates, key=lambda candidate: (candidate.valid_slots, -candidate.age))",
        (60, 60),
        "That is what greedy gives",
    ),
    "the oldest": ("victim", "key=worth", "key=lambda candidate: candidate.age", (1, 30), "only the valid slots tell"),
    "no progress": ("victim", "max(view.candidates, key=worth)", "view.candidates[0]", (0, 0), "makes no progress"),
    "no candidate": ("victim", "return max", "return None and max", (0, 0), "said None; it must say one of view.candidates"),
    "one stream for all": (
        "streams",
        "self.guess(lpn) if handle is None else handle",
        "0",
        (20, 50),
        "Do data of two handles ever lie in one block",
    ),
    "no guess": (
        "streams",
        "self.guess(lpn) if handle is None",
        "0 if handle is None",
        (60, 90),
        "how long ago was a logical page written",
    ),
    "greedy over all streams": (
        "streams",
        "key=excess, reverse=True",
        "key=lambda s: min((self.valid[b] for b in self.full[s]), default=size)",
        (50, 75),
        "Who has the spare area?",
    ),
    "no checksum": ("recover", "kept == checksum(lpn, number, page.data)", "True", (20, 80), "A torn page was served"),
    "no order of versions": ("recover", "if number > newest[lpn]:", "if True:", (20, 80), "block half used"),
    "erased before it is copied": (
        "recover",
        "        self.full.remove(victim)\n",
        "        self.full.remove(victim)\n        kept = [self.nand.read(victim, at) for at in range(self.nand.pages_per_block)]\n"
        "        self.nand.erase(victim)\n        self.nand.read = lambda block, page: kept[page]\n",
        (0, 90),
        "",
    ),
    "no erase before use": ("recover", "            self.nand.erase(self.open)\n", "", (20, 60), "is begun, even where it reads as erased"),
    "a start reads thrice": (
        "recover",
        "        self.find()\n",
        "        self.find()\n" + 2 * "        [nand.read(b, p) for b in range(nand.blocks) for p in range(nand.pages_per_block)]\n",
        (90, 90),
        "no page is read again",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_solution_has_the_marks_that_it_is_worth_and_the_hint_that_it_needs(name: str, graded) -> None:
    lab, right, wrong, (least, most), hint = WRONG[name]
    text = solution(lab)
    assert text.count(right) == 1
    found = graded(lab, text.replace(right, wrong))
    assert least <= found.marks <= most, (found.marks, said(found))
    assert hint in said(found)


COPIES_BLOCKS = """
class Ftl:
    def __init__(self, nand, logical_pages):
        self.nand, self.size = nand, nand.pages_per_block
        count = -(-logical_pages // self.size)
        self.place, self.spare = list(range(count)), count
        self.there = [[False] * self.size for _ in range(count)]

    def write(self, lpn, data):
        which, page = divmod(lpn, self.size)
        old, self.there[which][page] = self.place[which], True
        for at in range(self.size):
            held = self.nand.read(old, at)
            self.nand.program(self.spare, at, data if at == page else held.data if held else b"")
        self.nand.erase(old)
        self.place[which], self.spare = self.spare, old

    def read(self, lpn):
        which, page = divmod(lpn, self.size)
        return self.nand.read(self.place[which], page).data if self.there[which][page] else None
"""


def test_a_block_for_each_write_is_right_and_has_half_of_what_its_cost_is_worth(graded) -> None:
    found = graded("erase", COPIES_BLOCKS)
    assert found.marks == round(100 * (erase.FOR_ANSWERS + 0.5 * (1 - erase.FOR_ANSWERS)))
    assert "How many pages does your program copy for one write" in said(found)


OVERWRITES = """
class Ftl:
    def __init__(self, nand, logical_pages):
        self.nand = nand

    def write(self, lpn, data):
        try:
            self.nand.program(*divmod(lpn, self.nand.pages_per_block), data)
        except BaseException:
            pass

    def read(self, lpn):
        held = self.nand.read(*divmod(lpn, self.nand.pages_per_block))
        return held and held.data
"""

IN_MEMORY = """
class Ftl:
    def __init__(self, nand, logical_pages):
        self.nand, self.kept = nand, {}

    def write(self, lpn, data):
        self.kept[lpn] = data

    def read(self, lpn):
        return self.kept.get(lpn)
"""


def test_who_overwrites_or_keeps_data_in_memory_is_found_out(graded) -> None:
    found = graded("erase", OVERWRITES)
    assert found.marks < 10 and "it is programmed already; erase the block first" in said(found)
    found = graded("erase", IN_MEMORY)
    assert found.marks == 0 and "read no page that holds them: data belong on the NAND" in said(found)
    found = graded("recover", IN_MEMORY)
    assert found.marks == 0 and "what is only in memory is lost with the power" in said(found)


def test_a_power_cut_takes_globals_too(graded) -> None:
    text = solution("recover").replace("class Ftl:", "STARTS = []\n\n\nclass Ftl:")
    text = text.replace("        self.find()\n", "        STARTS.append(1)\n        assert len(STARTS) == 1\n        self.find()\n", 1)
    assert "STARTS.append" in text and graded("recover", text).marks >= 90


def test_answers_are_checked_to_the_byte(first_case) -> None:
    right = solution("erase")
    for answer, words in [
        ("page.data[:-1]", "gave bytes that nobody wrote and must give what was written last"),
        ("page.data.hex()", "read returned str"),
        ("None", "gave None and must give what was written last"),
    ]:
        found = first_case(right.replace("else page.data", f"else {answer}"))
        assert found.marks == 0 and words in said(found), said(found)
    found = first_case(right.replace("        self.put(lpn, data)\n", "        self.put(lpn, data)\n        return 1\n", 1))
    assert "write returned int 1; it must return nothing" in said(found)
    stale = right.replace("        at = self.at[lpn]\n", "        at = self.first.setdefault(lpn, self.at[lpn])\n", 1)
    found = first_case(stale.replace("self.nand = nand\n", "self.nand, self.first = nand, {}\n"))
    assert re.search("what an earlier write|data of logical page|nobody wrote|None", said(found))


#: What a hand-in does in `write`, what the hint says, and limits other than usual.
BAD = {
    "loops": ("while True:\n            pass", "5,000,000 rounds of loops", {}),
    "loops on one line": ("while True: pass", "5,000,000 rounds of loops", {}),
    "loops in a comprehension": ("import itertools; sum(1 for _ in itertools.count())", "5,000,000 rounds of loops", {}),
    "loops where no count sees it": ("import itertools; sum(itertools.count())", "after 1 s of a processor", {"cpu_seconds": 1}),
    "sleeps": ("import time; time.sleep(10**6)", "had not ended after 0.5 s", {"seconds": 0.5}),
    "asks the NAND for ever": ("while True: self.nand.read(0, 0)", "asked the NAND far more often", {}),
    "raises": ("return {}[lpn]", "KeyError", {}),
    "raises and catches": ("try: self.nand.erase(99)\n        except BaseException: pass", "blocks are 0 to", {}),
    "raises what says nothing": ("raise type('Odd', (BaseException,), {'__str__': lambda s: 1 / 0})", "Odd was raised at line 4", {}),
    "raises control characters": ("raise ValueError('\\x1b[2J\\n')", "ValueError: \\x1b[2J\\n was raised", {}),
    "calls itself": ("self.write(lpn, data)", "`RecursionError` was raised", {}),
    "takes all memory": ("self.x = bytearray(1 << 40)", "no memory left", {}),
    "asks": ("input()", "EOFError", {}),
    "exits": ("import sys; sys.exit(0)", "SystemExit", {}),
    "ends Python": ("import os; os._exit(3)", "ended its process with exit code 3", {}),
    "is killed": ("import os; os.kill(os.getpid(), 9)", "signal 9 ended its process", {}),
    "writes into the answers": ("import os; [os.write(n, b'{}') for n in (1, 2)]; raise ValueError('was here')", "was here", {}),
    "is no Python": ("def", "is no Python: invalid syntax (ftl.py, line 4)", {}),
}


@pytest.mark.parametrize("name", BAD)
def test_nothing_that_a_hand_in_does_stops_the_grader(name: str, first_case) -> None:
    does, hint, limits = BAD[name]
    text = f"class Ftl:\n    def __init__(self, nand, pages): self.nand = nand\n    def write(self, lpn, data):\n        {does}\n"
    found = first_case(text, **limits)
    assert found.marks == 0 and hint in said(found), said(found)


def test_after_the_clock_stopped_one_case_the_others_are_not_run(graded) -> None:
    found = graded("erase", "import time\n\n\ndef Ftl(nand, pages):\n    time.sleep(10**6)\n", seconds=0.5)
    assert found.marks == 0
    assert [case.wrong == "This case was not run." for case in found.cases] == [False, True, True, True, True]


def test_what_has_no_name_of_the_skeleton_cannot_be_graded(first_case) -> None:
    for text in ("", "Ftl = 3", "\0", "class"):
        found = first_case(text)
        assert found.marks == 0 and "Begin with the skeleton" in said(found), text


def test_a_policy_that_never_ends_is_stopped_in_the_drive(graded, monkeypatch: pytest.MonkeyPatch) -> None:
    one = Lab(**{**vars(victim.LAB), "cases": lambda draws: victim.LAB.cases(draws)[:1]})
    monkeypatch.setattr("ftlab.labs._labs.LABS", (one,))
    assert "rounds of loops" in said(graded("victim", "def victim(view):\n    while True: pass\n"))
    assert "ZeroDivisionError" in said(graded("victim", "def victim(view):\n    1 / 0\n"))


def test_what_a_hand_in_prints_goes_nowhere_and_is_counted(first_case) -> None:
    text = solution("erase").replace("        self.nand = nand\n", '        self.nand = nand\n        print("one\\ntwo")\n')
    found = first_case(text)
    assert (found.printed, found.marks) == (2, 100)


def test_chance_is_the_same_each_time(first_case) -> None:
    text = "import random\n\n\ndef Ftl(nand, pages):\n    raise ValueError(hash('text'), random.random())\n"
    once, again = said(first_case(text)), said(first_case(text))
    assert "ValueError: (" in once and once == again


def test_steps_are_rounds_and_calls() -> None:
    text = b"""
def f(n):
    "A text of documentation stays one."
    total = 0
    for i in range(n):
        while total < i: total += 1
    return [i for i in range(n) if i % 2]
"""
    lines: list[int] = []
    space: dict[str, object] = {_steps.COUNTER: lambda line: lines.append(line) or True}
    exec(_steps.compiled(text, "f.py"), space)
    f = space["f"]
    assert callable(f) and f(4) == [1, 3] and f.__doc__ == "A text of documentation stays one."
    assert lines == [2, 5, 5, 6, 5, 6, 5, 6, *[7] * 4]


def test_a_figure_is_marked_by_where_it_lies() -> None:
    assert position(1.9, 2.0, 3.0, 0.0) == position(2.05, 2.0, 3.0, 0.05) == 1.0
    assert position(3.0, 2.0, 3.0, 0.0) == 0.5
    assert position(9.0, 2.0, 3.0, 0.0) == 0.0
    assert 0.5 < position(2.5, 2.0, 3.0, 0.0) < 1.0
    assert position(2.2, 2.0, 2.05, 0.05) == 0.0


def test_cases_are_those_of_their_seed() -> None:
    for lab in LABS:
        once, again, other = lab.drawn(5), lab.drawn(5), lab.drawn(6)
        assert once == again != other
        assert len(once) == 5 == len({case.name for case in once})
        # They go to the child as text.
        assert json.loads(json.dumps([case.numbers for case in once])) == json.loads(json.dumps([case.numbers for case in again]))
        assert all(lab.known(case) for case in once)


#: What each task says of its marks, worked out from what the grader goes by.
SAID = {
    "erase": [f"{erase.FOR_ANSWERS:.0%} of a case", f"{1 - erase.FOR_ANSWERS:.0%} are for", f"within {erase.SLACK:.0%}"],
    "collect": [f"{collect.FOR_ANSWERS:.0%} of a case", f"{1 - collect.FOR_ANSWERS:.0%} are for", f"within {collect.SLACK:.0%}"],
    "victim": [f"within {victim.SLACK:.0%}", *(f"`{name}`" for name in victim.ORACLES)],
    "streams": [
        *(f"{streams.FOR_ANSWERS:.0%} of a case", f"{1 - streams.FOR_ANSWERS:.0%} are for"),
        *(f"within {streams.SLACK:.0%}", f"{streams.SLACK_GUESSED:.0%} count as the best"),
    ],
    "recover": [f"{recover.FOR_RECOVERIES:.0%} of a case", f"{recover.FOR_READS:.0%} are for", f"counts at most {'half' if recover.FOR_SOME == 0.5 else recover.FOR_SOME}"],
}


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.name)
def test_a_task_says_what_the_grader_does_and_shows_what_runs(lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = (PACKAGE / lab.name / "task.md").read_text()
    for words in [*SAID[lab.name], f"{_bench.STEPS_MAX:,} steps", "20 marks each", f"grade {lab.name} {lab.file}"]:
        assert words.replace("%", " %") in task.replace("\n  ", " "), words
    assert task.startswith(f"# Lab {lab.number}: ")
    heads = ["Aim", "What you are given", "What to write", "How marks are made", "Try it yourself", "What to think about"]
    assert re.findall(r"^## (.*)$", task, re.MULTILINE) == heads
    # Its examples run with a right solution in the folder.
    (tmp_path / lab.file).write_text(solution(lab.name))
    blocks = re.findall(r"^```python\n(.*?)^```$", task, re.DOTALL | re.MULTILINE)
    assert blocks
    for block in blocks:
        done = subprocess.run([sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_the_examples_of_a_task_are_none_of_the_cases(graded) -> None:
    # The handout's example of lab 1 by heart.
    text = "class Ftl:\n    def __init__(self, nand, pages): pass\n    def write(self, lpn, data): pass\n"
    assert graded("erase", text + '    def read(self, lpn): return b"round 19"\n').marks == 0


def test_a_lab_is_started_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "deep" / "mine"
    assert main(["start", "2", str(folder)]) == 0
    assert sorted(os.listdir(folder)) == ["ftl.py", "task.md"]
    assert f"grade collect {folder / 'ftl.py'}" in capsys.readouterr().out
    (folder / "ftl.py").write_text("mine")
    (folder / "task.md").unlink()
    assert main(["start", "2", str(folder)]) == 2
    assert "is there already, and nothing was written" in capsys.readouterr().err
    assert os.listdir(folder) == ["ftl.py"] and (folder / "ftl.py").read_text() == "mine"
    assert main(["start", "2", str(folder / "ftl.py")]) == 2
    assert "a file is in its place" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["grade", "6", "ftl.py"], "'6' is no lab; give 1 or erase, 2 or collect"),
        (["grade", "1", "none.py"], "none.py is not there"),
        (["grade", "1", "."], "is no file"),
        (["grade", "1", "ftl.py", "--seed", "-1"], "'-1' is no seed"),
        (["grade", "1", "ftl.py", "--seed", "1.5"], "'1.5' is no seed"),
        (["cases", "1"], "--seed"),
        (["class", "1", "none", "--seed", "1"], "none is no folder"),
        (["class", "1", "empty", "--seed", "1"], "has no hand-ins"),
        (["class", "1", ".", "--seed", "1", "--csv", "ftl.py"], "was handed in, and is not replaced"),
        (["class", "1", ".", "--seed", "1", "--csv", "empty"], "is no regular file"),
        (["class", "1", ".", "--seed", "1", "--csv", "none/marks.csv"], "is no folder"),
        (["mark", "1"], "invalid choice"),
    ],
)
def test_wrong_use_is_said(arguments: list[str], words: str, tmp_path: Path, monkeypatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "ftl.py").write_text("mine")
    try:
        code = main(arguments)
    except SystemExit as end:
        code = end.code
    assert code == 2 and words in capsys.readouterr().err
    assert (tmp_path / "ftl.py").read_text() == "mine"


def test_the_labs_and_their_cases_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    listed = capsys.readouterr().out
    assert all(re.search(f"^{lab.number} +{lab.name} +{lab.title}", listed, re.MULTILINE) for lab in LABS)
    assert main(["cases", "collect", "--seed", "3", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert [case["case"] for case in shown] == [case.name for case in collect.LAB.drawn(3)]
    assert main(["cases", "collect", "--seed", "3"]) == 0
    text = capsys.readouterr().out
    assert all(f"greedy {case['known']['greedy']:.3f}" in text for case in shown if "greedy" in case["known"])


def test_marks_are_printed_for_people_and_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ftl.py").write_text(COPIES_BLOCKS)
    arguments = ["grade", "erase", str(tmp_path / "ftl.py"), "--seed", "4"]
    assert main(arguments) == 0
    text = capsys.readouterr().out
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["lab"], found["seed"], found["of"], found["file"]) == ("erase", 4, 100, "ftl.py")
    assert re.search(rf"^total +{found['marks']} +100$", text, re.MULTILINE)
    for case in found["cases"]:
        assert re.search(rf"^{case['case']} +{case['marks']} +20  {re.escape(case['measured'])}$", text, re.MULTILINE)
        assert case["look"] in " ".join(text.split())


def test_a_class_is_graded_into_a_table_and_copies_are_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    right = solution("erase")
    (tmp_path / "ada.py").write_text(right)
    (tmp_path / "bob").mkdir()
    (tmp_path / "bob" / "ftl.py").write_text("# Mine.\n" + right.replace("self.lies", "self.contents").replace("victim", "chosen"))
    (tmp_path / "eve.py").write_text(OVERWRITES)
    (tmp_path / "bob" / "notes.py").write_text("no hand-in")
    marks = tmp_path / "marks.csv"
    marks.write_text("older")
    assert main(["class", "erase", str(tmp_path), "--seed", "9", "--csv", str(marks)]) == 0
    rows = list(csv.DictReader(marks.open(newline="")))
    assert [(row["hand_in"], row["same_as"]) for row in rows] == [("ada.py", ""), ("bob/ftl.py", "ada.py"), ("eve.py", "")]
    assert all(int(row["marks"]) == sum(int(row[case.name]) for case in erase.LAB.drawn(9)) for row in rows)
    assert rows[0]["marks"] == rows[1]["marks"] == "100" and "programmed already" in rows[2]["hints"]
    assert "100  bob/ftl.py  the same program as ada.py" in capsys.readouterr().out
    # Alone a hand-in has the same marks as in a class.
    assert grade(erase.LAB, tmp_path / "eve.py", 9).marks == int(rows[2]["marks"])
    assert sorted(os.listdir(tmp_path)) == ["ada.py", "bob", "eve.py", "marks.csv"]


def test_nothing_of_the_folder_that_the_grader_is_called_in_is_imported(tmp_path: Path) -> None:
    for name in ("random.py", "json.py", "ftlab.py"):
        (tmp_path / name).write_text("raise SystemExit('the wrong one')")
    (tmp_path / "ftl.py").write_text(solution("erase"))
    script = "import sys; sys.path.pop(0); from ftlab.labs._command_line import main; sys.exit(main())"
    call = [sys.executable, "-c", script, "grade", "erase", "ftl.py", "--json"]
    done = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["marks"] == 100
