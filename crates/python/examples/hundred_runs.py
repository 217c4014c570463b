import ftlab

table = ftlab.sweep(
    {"gc.policy": ["greedy", "fifo"], "spare.op": [0.07, 0.14, 0.28, 0.4, 0.5], "nand.blocks_per_die": 64},
    load={"rw": "randwrite", "bs": "4k", "iodepth": 8, "number_ios": 20_000},
    drives="generic-mlc-8",
    seeds=10,
    state="used",
).to_pandas()
print(table.groupby(["gc.policy", "spare.op"])[["wa", "metric_iops", "write_lat_ns_p99"]].mean())
