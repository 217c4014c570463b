"""Which of three numbers of a drive moves the 99th percentile of writes most: elementary effects, after Morris."""

import ftlab
from SALib.analyze import morris as analysis
from SALib.sample import morris as sampling

names = ["spare.op", "nand.t_program", "nand.t_erase"]  # a share, microseconds, milliseconds
problem = {"num_vars": 3, "names": names, "bounds": [[0.07, 0.5], [600, 1200], [2, 6]]}
points = sampling.sample(problem, N=5, num_levels=4, seed=1)
sweep = ftlab.sweep(
    grid=[dict(zip(names, point)) for point in points],
    load={"rw": "randwrite", "bs": "4k", "iodepth": 8, "number_ios": 20_000},
    drives="generic-mlc-8",
    state="steady-fast",
    settings={"nand.blocks_per_die": 64},
)
p99_ms = sweep.table["write_lat_ns_p99"].to_numpy() / 1e6
effects = analysis.analyze(problem, points, p99_ms, num_levels=4, seed=1)
for name, mean, spread in zip(names, effects["mu_star"], effects["sigma"]):
    print(f"{name:15} moves p99 by {mean:.2f} ms, give or take {spread:.2f}")
