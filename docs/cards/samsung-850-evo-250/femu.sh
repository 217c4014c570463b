#!/bin/sh
# samsung-850-evo-250: Samsung 850 EVO 250 GB (2014), written by `ftlab card`.
#
# How far the card is off: `ftlab import` made a drive of it, which ran beside the one that it is of.
# This is no run of the other program.
#   rate: median 37.2 %, worst 161.0 % (random-4096-qd32-read100), over 12 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
#   mean latency: median 24.9 %, worst 92.7 % (writes of random-4096-qd32-read50), over 16 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
#   p99 latency: median 30.1 %, worst 83.0 % (writes of random-4096-qd32-read50), over 16 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
#   rate: median 13.2 %, worst 161.0 % (sequential-4096-qd32-read100), over 12 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
#   mean latency: median 19.1 %, worst 86.7 % (writes of sequential-4096-qd32-read50), over 16 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
#   p99 latency: median 26.6 %, worst 163.6 % (reads of sequential-4096-qd1-read50), over 16 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
#
# Starts QEMU with the drive as FEMU's black-box SSD; the rest of QEMU's words follow:
#   QEMU=./qemu-system-x86_64 sh FILE -m 4G -smp 4 -drive …
#
# FEMU has no key for these, which decide speed:
#   firmware.die_queue = 4: queues of dies have no end
#   firmware.flush_record = 300 us: firmware takes one time of each command, fw_cpu_ns
#   firmware.overlap = true: firmware takes one time of each command, fw_cpu_ns
#   firmware.per_slot = 0.15 us: firmware takes one time of each command, fw_cpu_ns
#   firmware.read_pipeline = 5 us: firmware takes one time of each command, fw_cpu_ns
#   firmware.write_pipeline = 3 us: firmware takes one time of each command, fw_cpu_ns
#   link.command = 12 us: the link has a rate alone
#   map.stripe_dies = 16: a line has a block of every die
#   nand.page_spare = 2 KiB: pages have no spare bytes
#   scheduling.gc_preemptible = true: reads pass writes only where pe_suspend says so
#   scheduling.order = read-first: reads pass writes only where pe_suspend says so
#   scheduling.overtake_max = 64: reads pass writes only where pe_suspend says so
#   scheduling.plane_collection = true: reads pass writes only where pe_suspend says so
#   slc.bits = 3: all blocks hold the same number of bits a cell
#   slc.fold_after = 500 ms: all blocks hold the same number of bits a cell
#   slc.own_size = 3 GB: all blocks hold the same number of bits a cell
#   slc.t_program = 300 us: all blocks hold the same number of bits a cell
#   slc.t_read = 30 us: all blocks hold the same number of bits a cell
#   slc.when_full = direct: all blocks hold the same number of bits a cell
#   slc.when_out = fold: all blocks hold the same number of bits a cell
#
# FEMU has no key for these, which do not decide speed:
#   reliability.life_shape = 4: errors have properties with other numbers
#   reliability.median_cycles = 3000: errors have properties with other numbers
#   reliability.rated_bytes = 75 TB: errors have properties with other numbers
#   reliability.rated_cycles = 1000: errors have properties with other numbers
#
# Also different:
#   capacity: FEMU's drive is 188416 bytes smaller, as devsz_mb is whole MiB
#   gc.reserve 2: FEMU keeps whole percent of its lines free, here 14, which changes what collection costs
#   nand.planes_per_die 2: joined to one, whose blocks have the pages of 2 and whose programs take a part of the time; a die reads one page at a time
set -eu
exec "${QEMU:-qemu-system-x86_64}" "$@" -device femu,femu_mode=1,nchs=8,luns_per_ch=2,pls_per_lun=1,blks_per_pl=1392,pgs_per_blk=3072,secsz=512,secs_per_pg=8,pg_rd_lat=60000,pg_wr_lat=206875,blk_er_lat=10000000,ch_xfer_lat=10240,cmd_addr_lat=500,mp_program=off,mp_read=on,mapping=page,devsz_mb=238475,gc_policy=greedy,gc_thres_pcent_high=99,buffer_size=2048,fw_cpu_ns=1400,trim_lat_ns=0,pe_suspend=0,pcie_bandwidth_mbps=550,entries=32
