#!/bin/sh
# solidigm-p5520-1920: Solidigm D7-P5520 1.92 TB (2022), written by `ftlab card`.
#
# How far the card is off: `ftlab import` made a drive of it, which ran beside the one that it is of.
# This is no run of the other program.
#   rate: median 23.5 %, worst 167.5 % (random-4096-qd1-read0), over 12 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
#   mean latency: median 27.1 %, worst 160.7 % (reads of random-65536-qd32-read100), over 16 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
#   p99 latency: median 62.6 %, worst 221.2 % (writes of random-4096-qd32-read50), over 16 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
#   rate: median 43.3 %, worst 275.6 % (sequential-4096-qd32-read100), over 12 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
#   mean latency: median 44.2 %, worst 158.0 % (reads of sequential-65536-qd32-read100), over 16 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
#   p99 latency: median 61.7 %, worst 96.3 % (writes of sequential-4096-qd32-read0), over 16 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
#
# Starts QEMU with the drive as FEMU's black-box SSD; the rest of QEMU's words follow:
#   QEMU=./qemu-system-x86_64 sh FILE -m 4G -smp 4 -drive …
#
# FEMU has no key for these, which decide speed:
#   buffer.release = transferred: the write buffer has a size alone
#   firmware.die_queue = 4: queues of dies have no end
#   firmware.overlap = true: firmware takes one time of each command, fw_cpu_ns
#   firmware.per_slot = 0.15 us: firmware takes one time of each command, fw_cpu_ns
#   firmware.read_pipeline = 4.5 us: firmware takes one time of each command, fw_cpu_ns
#   firmware.write_pipeline = 6.5 us: firmware takes one time of each command, fw_cpu_ns
#   gc.turn = 1: a line is collected whole, once few are free
#   gc.waiting_max = 128: a line is collected whole, once few are free
#   link.command = 0.3 us: the link has a rate alone
#   link.payload_max = 512 B: the link has a rate alone
#   map.parity = 31: there is no parity
#   map.stripe_dies = 32: a line has a block of every die
#   nand.page_spare = 2 KiB: pages have no spare bytes
#   nand.t_read_spread = 0.2: pages of a block have one time
#   scheduling.independent_plane_reads = true: reads pass writes only where pe_suspend says so
#   scheduling.order = all-reads-first: reads pass writes only where pe_suspend says so
#   scheduling.overtake_max = 64: reads pass writes only where pe_suspend says so
#   scheduling.plane_collection = true: reads pass writes only where pe_suspend says so
#   scheduling.resume_time = 20 us: reads pass writes only where pe_suspend says so
#   scheduling.suspend_every = 35 us: reads pass writes only where pe_suspend says so
#   scheduling.suspend_left_min = 390 us: reads pass writes only where pe_suspend says so
#   scheduling.suspend_max = 16: reads pass writes only where pe_suspend says so
#
# FEMU has no key for these, which do not decide speed:
#   power_loss.capacitors = 1: power is never lost
#   reliability.life_shape = 4: errors have properties with other numbers
#   reliability.median_cycles = 9000: errors have properties with other numbers
#   reliability.rated_bytes = 3504 TB: errors have properties with other numbers
#   reliability.rated_cycles = 3000: errors have properties with other numbers
#
# Also different:
#   capacity: FEMU's drive is 352256 bytes smaller, as devsz_mb is whole MiB
#   gc.reserve 3: FEMU keeps whole percent of its lines free, here 5, which changes what collection costs
#   nand.planes_per_die 4: joined to one, whose blocks have the pages of 4 and whose programs take a part of the time; a die reads one page at a time
set -eu
exec "${QEMU:-qemu-system-x86_64}" "$@" -device femu,femu_mode=1,nchs=8,luns_per_ch=4,pls_per_lun=1,blks_per_pl=548,pgs_per_blk=32736,secsz=512,secs_per_pg=8,pg_rd_lat=60000,pg_wr_lat=63313,blk_er_lat=10000000,ch_xfer_lat=3413,cmd_addr_lat=500,mp_program=off,mp_read=on,mapping=page,devsz_mb=1831420,gc_policy=greedy,gc_thres_pcent_high=99,buffer_size=512,fw_cpu_ns=1040,trim_lat_ns=0,pe_suspend=1,tsusp_ns=45000,pcie_bandwidth_mbps=5300,entries=1024
