#!/bin/sh
# solidigm-p5520-1920: Solidigm D7-P5520 1.92 TB (2022)
# measured by ftlab 0.2.0 (model 14) in a form of 14079053824 bytes: state filled, testbed linux-2024-io-uring, seed 1
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
#   rate: median 9.0 %, worst 34.5 % (random-4096-qd64-read70), over 18 figures of random loads of 4 KiB to 256 KiB at depth 64
#   rate: median 18.6 %, worst 57.2 % (sequential-16384-qd64-read100), over 18 figures of sequential loads of 4 KiB to 256 KiB at depth 64
set -eu
device=${1:?give MAJ:MIN of the device}
cgroup=${2:-/sys/fs/cgroup}
echo "$device ctrl=user model=linear rbps=5225000000 rseqiops=203700 rrandiops=660500 wbps=1907000000 wseqiops=475700 wrandiops=475700" > "$cgroup/io.cost.model"
echo "$device enable=1 ctrl=user rpct=99.00 rlat=567 wpct=99.00 wlat=2016 min=74.34 max=233.58" > "$cgroup/io.cost.qos"
