#!/bin/sh
# crucial-c300-256: Crucial RealSSD C300 256 GB (2010), written by `ftlab card`.
#
# How far the card is off: `ftlab import` made a drive of it, which ran beside the one that it is of.
# This is no run of the other program.
#   rate: median 49.1 %, worst 299.8 % (random-4096-qd1-read0), over 12 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
#   mean latency: median 32.5 %, worst 93.8 % (writes of random-4096-qd32-read50), over 16 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
#   p99 latency: median 43.8 %, worst 89.1 % (writes of random-65536-qd1-read0), over 16 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
#   rate: median 60.7 %, worst 299.8 % (sequential-4096-qd1-read0), over 12 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
#   mean latency: median 46.1 %, worst 91.6 % (writes of sequential-65536-qd32-read50), over 16 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
#   p99 latency: median 61.3 %, worst 89.1 % (writes of sequential-65536-qd1-read0), over 16 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
#
# Starts QEMU with the drive as FEMU's black-box SSD; the rest of QEMU's words follow:
#   QEMU=./qemu-system-x86_64 sh FILE -m 4G -smp 4 -drive …
#
# FEMU has no key for these, which decide speed:
#   buffer.read_ahead = 64 KiB: the write buffer has a size alone
#   firmware.die_queue = 4: queues of dies have no end
#   firmware.overlap = true: firmware takes one time of each command, fw_cpu_ns
#   firmware.per_slot = 11.6 us: firmware takes one time of each command, fw_cpu_ns
#   firmware.read_pipeline = 18 us: firmware takes one time of each command, fw_cpu_ns
#   firmware.write_pipeline = 44.3 us: firmware takes one time of each command, fw_cpu_ns
#   firmware.write_slot = 18.8 us: firmware takes one time of each command, fw_cpu_ns
#   link.command = 3.9 us: the link has a rate alone
#   map.stripe_dies = 64: a line has a block of every die
#   nand.page_spare = 224 B: pages have no spare bytes
#
# FEMU has no key for these, which do not decide speed:
#   power.controller_active = 800 mW: energy is not counted
#   power.controller_idle = 350 mW: energy is not counted
#   power.dram = 80 mW: energy is not counted
#   power.erase = 248 uJ: energy is not counted
#   power.link_active = 300 mW: energy is not counted
#   power.link_idle = 180 mW: energy is not counted
#   power.link_slumber = 50 mW: energy is not counted
#   power.program = 74 uJ: energy is not counted
#   power.read = 4.1 uJ: energy is not counted
#   power.transfer = 0.4 nJ/B: energy is not counted
#   reliability.erase_share = 0.9: errors have properties with other numbers
#   reliability.life_shape = 4: errors have properties with other numbers
#   reliability.median_cycles = 15000: errors have properties with other numbers
#   reliability.rated_cycles = 5000: errors have properties with other numbers
#   smart.vendor = micron: SMART is QEMU's
#
# Also different:
#   capacity: FEMU's drive is 352256 bytes smaller, as devsz_mb is whole MiB
#   gc.reserve 3: FEMU keeps whole percent of its lines free, here 41, which changes what collection costs
set -eu
exec "${QEMU:-qemu-system-x86_64}" "$@" -device femu,femu_mode=1,nchs=8,luns_per_ch=8,pls_per_lun=1,blks_per_pl=4096,pgs_per_blk=256,secsz=512,secs_per_pg=8,pg_rd_lat=50000,pg_wr_lat=900000,blk_er_lat=3000000,ch_xfer_lat=24675,cmd_addr_lat=5000,mp_program=off,mp_read=on,mapping=page,devsz_mb=244198,gc_policy=greedy,gc_thres_pcent_high=99,buffer_size=1024,fw_cpu_ns=4810,trim_lat_ns=0,pe_suspend=0,pcie_bandwidth_mbps=600,entries=32
