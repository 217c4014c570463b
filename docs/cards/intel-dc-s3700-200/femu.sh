#!/bin/sh
# intel-dc-s3700-200: Intel SSD DC S3700 200 GB (2012), written by `ftlab card`.
#
# How far the card is off: `ftlab import` made a drive of it, which ran beside the one that it is of.
# This is no run of the other program.
#   rate: median 24.1 %, worst 203.7 % (random-4096-qd1-read0), over 12 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
#   mean latency: median 20.2 %, worst 67.1 % (writes of random-4096-qd1-read0), over 16 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
#   p99 latency: median 37.2 %, worst 77.5 % (reads of random-65536-qd32-read50), over 16 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
#   rate: median 26.2 %, worst 203.7 % (sequential-4096-qd1-read0), over 12 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
#   mean latency: median 28.6 %, worst 302.1 % (reads of sequential-4096-qd1-read100), over 16 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
#   p99 latency: median 42.5 %, worst 302.1 % (reads of sequential-4096-qd1-read100), over 16 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
#
# Starts QEMU with the drive as FEMU's black-box SSD; the rest of QEMU's words follow:
#   QEMU=./qemu-system-x86_64 sh FILE -m 4G -smp 4 -drive …
#
# FEMU has no key for these, which decide speed:
#   buffer.read_ahead = 64 KiB: the write buffer has a size alone
#   firmware.die_queue = 2: queues of dies have no end
#   firmware.overlap = true: firmware takes one time of each command, fw_cpu_ns
#   firmware.per_slot = 8.2 us: firmware takes one time of each command, fw_cpu_ns
#   firmware.write_pipeline = 48 us: firmware takes one time of each command, fw_cpu_ns
#   link.command = 1 us: the link has a rate alone
#   map.stripe_dies = 32: a line has a block of every die
#   nand.page_spare = 448 B: pages have no spare bytes
#   wear.allocation = least-worn: nothing is levelled
#   wear.every_collections = 4: nothing is levelled
#   wear.spread = 64: nothing is levelled
#
# FEMU has no key for these, which do not decide speed:
#   power.controller_active = 1200 mW: energy is not counted
#   power.controller_idle = 450 mW: energy is not counted
#   power.dram = 100 mW: energy is not counted
#   power.erase = 250 uJ: energy is not counted
#   power.link_active = 300 mW: energy is not counted
#   power.link_idle = 200 mW: energy is not counted
#   power.link_slumber = 20 mW: energy is not counted
#   power.program = 107 uJ: energy is not counted
#   power.read = 4.1 uJ: energy is not counted
#   power.transfer = 0.3 nJ/B: energy is not counted
#   power_loss.capacitors = 2: power is never lost
#   reliability.erase_share = 0.9: errors have properties with other numbers
#   reliability.life_shape = 4: errors have properties with other numbers
#   reliability.median_cycles = 60000: errors have properties with other numbers
#   reliability.rated_cycles = 30000: errors have properties with other numbers
#   smart.vendor = intel: SMART is QEMU's
#
# Also different:
#   capacity: FEMU's drive is 221184 bytes smaller, as devsz_mb is whole MiB
#   gc.reserve 4: FEMU keeps whole percent of its lines free, here 21, which changes what collection costs
#   nand.planes_per_die 2: joined to one, whose blocks have the pages of 2 and whose programs take a part of the time; a die reads one page at a time
set -eu
exec "${QEMU:-qemu-system-x86_64}" "$@" -device femu,femu_mode=1,nchs=8,luns_per_ch=4,pls_per_lun=1,blks_per_pl=2112,pgs_per_blk=1024,secsz=512,secs_per_pg=8,pg_rd_lat=50000,pg_wr_lat=325000,blk_er_lat=3000000,ch_xfer_lat=24675,cmd_addr_lat=5000,mp_program=off,mp_read=off,mapping=page,devsz_mb=190782,gc_policy=greedy,gc_thres_pcent_high=99,buffer_size=256,fw_cpu_ns=10550,trim_lat_ns=0,pe_suspend=0,pcie_bandwidth_mbps=600,entries=32
