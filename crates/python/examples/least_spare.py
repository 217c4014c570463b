"""The least spare area with which 99 of 100 writes take less than 5 ms, by Optuna."""

import ftlab
import optuna

LIMIT_NS = 5e6
LOAD = {"rw": "randwrite", "bs": "4k", "iodepth": 8, "number_ios": 20_000}


def cost(trial: optuna.Trial) -> float:
    spare = trial.suggest_float("spare.op", 0.06, 0.5)
    drive = ftlab.Drive("generic-mlc-8", {"spare.op": spare, "nand.blocks_per_die": 64})
    p99_ns: int = ftlab.run(LOAD, drive, state="steady-fast").write_lat_ns_p99
    # What is too slow costs more than any spare area, and less the nearer it comes.
    return spare if p99_ns < LIMIT_NS else p99_ns / LIMIT_NS


optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=1))
study.optimize(cost, n_trials=30)
print(f"a spare area of {study.best_params['spare.op']:.1%} is enough")
