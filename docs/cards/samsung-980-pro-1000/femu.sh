#!/bin/sh
# samsung-980-pro-1000: Samsung 980 PRO 1 TB (2020), written by `ftlab card`.
#
# How far the card is off: `ftlab import` made a drive of it, which ran beside the one that it is of.
# This is no run of the other program.
#   rate: median 39.9 %, worst 132.5 % (random-4096-qd32-read0), over 12 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
#   mean latency: median 43.3 %, worst 682.1 % (reads of random-65536-qd32-read50), over 16 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
#   p99 latency: median 56.8 %, worst 274.9 % (reads of random-65536-qd32-read50), over 16 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
#   rate: median 72.3 %, worst 115.5 % (sequential-4096-qd32-read0), over 12 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
#   mean latency: median 45.7 %, worst 579.3 % (reads of sequential-65536-qd32-read50), over 16 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
#   p99 latency: median 64.5 %, worst 460.4 % (reads of sequential-65536-qd32-read100), over 16 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
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
#   link.command = 0.3 us: the link has a rate alone
#   link.payload_max = 256 B: the link has a rate alone
#   map.stripe_dies = 16: a line has a block of every die
#   nand.page_spare = 2 KiB: pages have no spare bytes
#   queue.transfer_max = 512 KiB: mdts says it in other units
#   scheduling.gc_preemptible = true: reads pass writes only where pe_suspend says so
#   scheduling.order = read-first: reads pass writes only where pe_suspend says so
#   scheduling.overtake_max = 64: reads pass writes only where pe_suspend says so
#   scheduling.plane_collection = true: reads pass writes only where pe_suspend says so
#   slc.bits = 3: all blocks hold the same number of bits a cell
#   slc.fold_after = 500 ms: all blocks hold the same number of bits a cell
#   slc.more_size = 108 GB: all blocks hold the same number of bits a cell
#   slc.own_size = 6 GB: all blocks hold the same number of bits a cell
#   slc.t_program = 100 us: all blocks hold the same number of bits a cell
#   slc.t_read = 30 us: all blocks hold the same number of bits a cell
#   slc.when_full = direct: all blocks hold the same number of bits a cell
#   slc.when_out = fold: all blocks hold the same number of bits a cell
#   thermal.ambient = 22 C: nothing warms up
#   thermal.capacity = 6 J/K: nothing warms up
#   thermal.critical = 85 C: nothing warms up
#   thermal.heavy_from = 85 C: nothing warms up
#   thermal.heavy_rate = 300 MB/s: nothing warms up
#   thermal.heavy_until = 80 C: nothing warms up
#   thermal.light_from = 82 C: nothing warms up
#   thermal.light_rate = 1500 MB/s: nothing warms up
#   thermal.light_until = 78 C: nothing warms up
#   thermal.resistance = 10.5 K/W: nothing warms up
#   thermal.warning = 82 C: nothing warms up
#
# FEMU has no key for these, which do not decide speed:
#   power.controller_active = 2.2 W: energy is not counted
#   power.controller_idle = 0.6 W: energy is not counted
#   power.dram = 0.15 W: energy is not counted
#   power.erase = 300 uJ: energy is not counted
#   power.link_active = 0.9 W: energy is not counted
#   power.link_idle = 0.3 W: energy is not counted
#   power.link_slumber = 0.05 W: energy is not counted
#   power.program = 15 uJ: energy is not counted
#   power.read = 3 uJ: energy is not counted
#   power.sleep_after = 10 ms: energy is not counted
#   power.states[1].after = 100 ms: energy is not counted
#   power.states[1].entry = 2 ms: energy is not counted
#   power.states[1].exit = 1.2 ms: energy is not counted
#   power.states[1].name = PS3: energy is not counted
#   power.states[1].power = 40 mW: energy is not counted
#   power.states[2].after = 2000 ms: energy is not counted
#   power.states[2].entry = 0.5 ms: energy is not counted
#   power.states[2].exit = 9.5 ms: energy is not counted
#   power.states[2].name = PS4: energy is not counted
#   power.states[2].power = 5 mW: energy is not counted
#   power.transfer = 0.1 nJ/B: energy is not counted
#   reliability.life_shape = 4: errors have properties with other numbers
#   reliability.median_cycles = 3000: errors have properties with other numbers
#   reliability.rated_bytes = 600 TB: errors have properties with other numbers
#   reliability.rated_cycles = 1000: errors have properties with other numbers
#
# Also different:
#   capacity: FEMU's drive is 745472 bytes smaller, as devsz_mb is whole MiB
#   gc.reserve 2: FEMU keeps whole percent of its lines free, here 19, which changes what collection costs
#   nand.planes_per_die 2: joined to one, whose blocks have the pages of 2 and whose programs take a part of the time; a die reads one page at a time
set -eu
exec "${QEMU:-qemu-system-x86_64}" "$@" -device femu,femu_mode=1,nchs=8,luns_per_ch=2,pls_per_lun=1,blks_per_pl=1880,pgs_per_blk=9216,secsz=512,secs_per_pg=8,pg_rd_lat=60000,pg_wr_lat=39875,blk_er_lat=10000000,ch_xfer_lat=3413,cmd_addr_lat=500,mp_program=off,mp_read=on,mapping=page,devsz_mb=953869,gc_policy=greedy,gc_thres_pcent_high=99,buffer_size=2048,fw_cpu_ns=1400,trim_lat_ns=0,pe_suspend=0,pcie_bandwidth_mbps=7201,entries=1024
