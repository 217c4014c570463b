#!/bin/sh
# wd-velociraptor-300: Western Digital VelociRaptor 300 GB
# measured by ftlab 0.2.0 (model 14): state filled, testbed anandtech-2008, seed 1
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
#   rate: median 11.0 %, worst 15.6 % (random-65536-qd64-read70), over 18 figures of random loads of 4 KiB to 256 KiB at depth 64
#   rate: median 21.0 %, worst 111.5 % (sequential-65536-qd64-read100), over 18 figures of sequential loads of 4 KiB to 256 KiB at depth 64
set -eu
device=${1:?give MAJ:MIN of the device}
cgroup=${2:-/sys/fs/cgroup}
echo "$device ctrl=user model=linear rbps=119900000 rseqiops=10000 rrandiops=355 wbps=104100000 wseqiops=10000 wrandiops=259" > "$cgroup/io.cost.model"
echo "$device enable=1 ctrl=user rpct=99.00 rlat=315900 wpct=99.00 wlat=487100 min=47.29 max=159.65" > "$cgroup/io.cost.qos"
