"""A hundred runs on a cluster of two processes on this machine."""

from distributed import Client, LocalCluster

import ftlab

if __name__ == "__main__":  # each worker reads this file, too
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        sweep = ftlab.sweep(
            grid={"spare.op": [0.07, 0.14, 0.28, 0.4, 0.5], "nand.blocks_per_die": 64},
            load={"rw": "randwrite", "bs": "4k", "number_ios": 20_000},
            drives="generic-mlc-8",
            seeds=20,
            untimed=True,
            client=client,
            out="out/on-dask",
        )
    print(sweep)
