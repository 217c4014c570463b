"""Lab 3: a victim policy on ftlab's drives, where some data are written more often than others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ftlab
from ftlab import theory
from ftlab.labs import _cost, _ends
from ftlab.labs._lab import Case, Draws, Ending, Lab, Verdict, position

if TYPE_CHECKING:
    from ftlab.labs._bench import Bench

PASSES = 5
SLACK = 0.03
AT_HAND = "Run your function on a small drive, as the task shows, and look at what that line is given."
#: Policies of ftlab's; the best of them on a case is what a hand-in is compared with.
ORACLES: dict[str, dict[str, Any]] = {
    "greedy": {"gc.policy": "greedy"},
    "cost-benefit": {"gc.policy": "cost-benefit"},
    "windowed-greedy": {"gc.policy": "windowed-greedy", "gc.window": 64},
}
#: The shares of writes and of the drive that parts of it have, in percent.
SKEWS = (((90, 10), (10, 90)), ((92, 8), (8, 92)), ((95, 10), (5, 90)), ((88, 8), (12, 92)))
THREE = (((70, 5), (25, 25), (5, 70)), ((75, 8), (20, 22), (5, 70)))


def cases(draws: Draws) -> list[Case]:
    """One of uniform writes, three of skewed ones, and one where what is hot changes."""
    made = [Case("uniform", "random writes, all pages alike", _numbers(draws, []))]
    for number in (1, 2):
        hot = draws.one_of(SKEWS)
        made.append(Case(f"skewed-{number}", "random writes, most of them to a small part of the drive", _numbers(draws, [hot])))
    made.append(Case("three-rates", "random writes at three rates, each to a part of the drive", _numbers(draws, [draws.one_of(THREE)])))
    hot = draws.one_of(SKEWS)
    numbers = _numbers(draws, [hot, hot])
    made.append(Case("moving", "the small part that most writes go to is another one in the second half", numbers))
    return made


def _numbers(draws: Draws, hot: list[tuple[tuple[int, int], ...]]) -> dict[str, Any]:
    settings: dict[str, Any] = {
        "nand.channels": 1,
        "nand.dies_per_channel": 1,
        "nand.blocks_per_die": draws.between(120, 140),
        "nand.pages_per_block": draws.one_of((16, 24)),
        "spare.op": draws.between(15, 25) / 100,
    }
    return {"settings": settings, "hot": hot, "seed": draws.below(1 << 30)}


def load(numbers: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The jobs of a case, one after the other."""
    parts = [_zones(hot, is_last) for hot, is_last in zip(numbers["hot"], (False, True))] or [""]
    jobs = {}
    for number, zones in enumerate(parts):
        job: dict[str, Any] = {"rw": "randwrite", "bs": "4k", "norandommap": 1, "randrepeat": 0}
        job["loops"] = PASSES if len(parts) == 1 else PASSES // 2 + 1
        if zones:
            job["random_distribution"] = zones
        if number:
            job["stonewall"] = 1
        jobs[f"part-{number + 1}"] = job
    return jobs


def _zones(hot: tuple[tuple[int, int], ...], is_last: bool) -> str:
    pieces = [f"{writes}/{part}" for writes, part in hot]
    return "zoned:" + ":".join(reversed(pieces) if is_last else pieces)


def cost(numbers: dict[str, Any], settings: dict[str, Any], **policy: Any) -> float:
    """Write amplification of the case under a policy."""
    drive = ftlab.Drive("generic-mlc-8", {**numbers["settings"], **settings}, **policy)
    found: float = ftlab.run(load(numbers), drive, untimed=True, seed=numbers["seed"]).wa
    return found


def run(case: Case, bench: Bench) -> None:
    """The case's load on a drive that asks the hand-in which superblock to collect."""
    measured = bench.measured
    measured.update(choices=0)
    chosen = bench.fresh()

    def victim(view: ftlab.VictimView) -> ftlab.Candidate:
        found: ftlab.Candidate = chosen(view)
        measured["choices"] += 1
        return found

    measured["wa"] = cost(case.numbers, {}, victim=victim)


def known(case: Case) -> dict[str, float]:
    """ftlab's own policies on the same load; the closed form where there is one."""
    found = {name: cost(case.numbers, settings) for name, settings in ORACLES.items()}
    found["FIFO"] = cost(case.numbers, {"gc.policy": "fifo"})
    if not case.numbers["hot"]:
        settings = case.numbers["settings"]
        found["closed form of greedy"] = theory.greedy(1 + settings["spare.op"], settings["nand.pages_per_block"])
    return found


def verdict(case: Case, ending: Ending) -> Verdict:
    """Write amplification between the best of ftlab's policies and greedy; for uniform writes FIFO."""
    if ending.how != "done":
        choices = f"{ending.measured.get('choices', 0)} choices made"
        return Verdict(0.0, choices, _ends.wrong(ending), AT_HAND if ending.how == "raised" else _ends.LOOK[ending.how])
    found = known(case)
    best_name = min(ORACLES, key=lambda name: found[name])
    half_name = "greedy" if case.numbers["hot"] else "FIFO"
    best, half, own = found[best_name], found[half_name], ending.measured["wa"]
    near = position(own, best, half, SLACK)
    said = f"write amplification {own:.3f}; {best_name} {best:.3f}, {half_name} {half:.3f}"
    if near > _cost.NEAR:
        return Verdict(near, said)
    return Verdict(near, said, _cost.dear(own, best), _look(case, own, half))


def _look(case: Case, own: float, half: float) -> str:
    if not case.numbers["hot"]:
        return "Where all pages are alike, only the valid slots tell what a collection costs. Does your policy go by anything else?"
    if own > half * 1.01:
        return "Greedy is better than that. Compare the valid slots of what your policy collects with those of the emptiest."
    if own > half / 1.01:
        return (
            "That is what greedy gives: a superblock of hot data would soon be emptier, and one of cold data never. What does `age` say "
            "of the slots that are still valid?"
        )
    return "That is better than greedy. How does your policy weigh age against valid slots?"


LAB = Lab(3, "victim", "a victim policy of your own", "victim.py", "victim", cases, run, verdict, known)
