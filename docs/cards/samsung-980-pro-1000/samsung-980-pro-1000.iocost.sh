#!/bin/sh
# samsung-980-pro-1000: Samsung 980 PRO 1 TB (2020)
# measured by ftlab 0.2.0 (model 14) in a form of 15628197888 bytes: state filled, testbed linux-2024-io-uring, seed 1
# The figures are those of a model. No real drive was measured.
#
# Writes the drive's cost model to Linux' io controller. As root:
#   sh FILE 8:0              for the device 8:0; `lsblk` shows MAJ:MIN
#   sh FILE 8:0 /mnt/cgroup  where the root of cgroup2 is mounted elsewhere
#
# io.cost.model: rbps and wbps are bytes a second, by blocks of 128 MiB in order, one
# at a time; the others are requests of 4 KiB a second, 64 at a time: as the kernel's
# tools/cgroup/iocost_coef_gen.py measures them.
# io.cost.qos: rlat and wlat are microseconds, the 99th percentiles of 4 KiB requests
# at random, half of them reads, 64 at a time. min and max are percent of these rates:
# the slowest and the fastest of the loads below, beside what the line says of them.
#
# How far the rates that follow from the line are off, beside the model:
#   rate: median 2.9 %, worst 20.5 % (random-65536-qd64-read100), over 18 figures of random loads of 4 KiB to 256 KiB at depth 64
#   rate: median 6.6 %, worst 48.0 % (sequential-4096-qd64-read50), over 18 figures of sequential loads of 4 KiB to 256 KiB at depth 64
set -eu
device=${1:?give MAJ:MIN of the device}
cgroup=${2:-/sys/fs/cgroup}
echo "$device ctrl=user model=linear rbps=5724000000 rseqiops=225400 rrandiops=226400 wbps=706700000 wseqiops=180900 wrandiops=168500" > "$cgroup/io.cost.model"
echo "$device enable=1 ctrl=user rpct=99.00 rlat=654 wpct=99.00 wlat=5919 min=94.51 max=192.42" > "$cgroup/io.cost.qos"
