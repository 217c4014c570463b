import ftlab

grid = {"gc.policy": ["greedy", "fifo"], "spare.op": [0.07, 0.14, 0.28, 0.4, 0.5], "nand.blocks_per_die": 64}
writes = {"rw": "randwrite", "bs": "4k", "iodepth": 8, "number_ios": 20_000}
table = ftlab.sweep(writes, "generic-mlc-8", grid, seeds=10, state="steady-fast").to_pandas()
means = table.groupby(["gc.policy", "spare.op"])[["wa", "metric_iops", "write_lat_ns_p99"]].mean().reset_index()
alpha = 1 + means["spare.op"]
greedy, fifo = ftlab.theory.greedy(alpha, 256), ftlab.theory.fifo(alpha)
means["wa_theory"] = (means["gc.policy"] == "greedy") * greedy + (means["gc.policy"] == "fifo") * fifo
print(means.round(2))
