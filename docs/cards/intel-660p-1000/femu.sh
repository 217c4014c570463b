#!/bin/sh
# intel-660p-1000: Intel 660p 1 TB (2018), written by `ftlab card`.
#
# How far the card is off: `ftlab import` made a drive of it, which ran beside the one that it is of.
# This is no run of the other program.
#   rate: median 21.7 %, worst 87.0 % (random-65536-qd32-read100), over 12 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
#   mean latency: median 29.8 %, worst 671.2 % (reads of random-65536-qd32-read100), over 16 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
#   p99 latency: median 54.2 %, worst 3713.2 % (writes of random-4096-qd1-read0), over 16 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
#   rate: median 41.0 %, worst 88.7 % (sequential-65536-qd32-read100), over 12 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
#   mean latency: median 29.1 %, worst 788.4 % (reads of sequential-65536-qd32-read100), over 16 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
#   p99 latency: median 75.8 %, worst 3713.2 % (writes of sequential-4096-qd1-read0), over 16 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
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
#   map.stripe_dies = 8: a line has a block of every die
#   nand.page_spare = 2 KiB: pages have no spare bytes
#   nand.t_read_csb = 76 us: pages of a block have one time
#   nand.t_read_lsb = 48 us: pages of a block have one time
#   nand.t_read_msb = 135 us: pages of a block have one time
#   nand.t_read_tsb = 228 us: pages of a block have one time
#   scheduling.gc_preemptible = true: reads pass writes only where pe_suspend says so
#   scheduling.order = read-first: reads pass writes only where pe_suspend says so
#   scheduling.overtake_max = 64: reads pass writes only where pe_suspend says so
#   scheduling.plane_collection = true: reads pass writes only where pe_suspend says so
#   slc.bits = 4: all blocks hold the same number of bits a cell
#   slc.fold_after = 500 ms: all blocks hold the same number of bits a cell
#   slc.gone_at = 75 %: all blocks hold the same number of bits a cell
#   slc.more_size = 128 GB: all blocks hold the same number of bits a cell
#   slc.own_size = 12 GB: all blocks hold the same number of bits a cell
#   slc.t_program = 199 us: all blocks hold the same number of bits a cell
#   slc.t_read = 30 us: all blocks hold the same number of bits a cell
#   slc.when_full = direct: all blocks hold the same number of bits a cell
#   slc.when_out = fold: all blocks hold the same number of bits a cell
#   thermal.ambient = 22 C: nothing warms up
#   thermal.capacity = 6 J/K: nothing warms up
#   thermal.critical = 80 C: nothing warms up
#   thermal.heavy_from = 80 C: nothing warms up
#   thermal.heavy_rate = 300 MB/s: nothing warms up
#   thermal.heavy_until = 75 C: nothing warms up
#   thermal.light_from = 77 C: nothing warms up
#   thermal.light_rate = 900 MB/s: nothing warms up
#   thermal.light_until = 73 C: nothing warms up
#   thermal.resistance = 10.5 K/W: nothing warms up
#   thermal.warning = 77 C: nothing warms up
#
# FEMU has no key for these, which do not decide speed:
#   power.controller_active = 1.1 W: energy is not counted
#   power.controller_idle = 0.6 W: energy is not counted
#   power.dram = 0.15 W: energy is not counted
#   power.erase = 300 uJ: energy is not counted
#   power.link_active = 0.6 W: energy is not counted
#   power.link_idle = 0.3 W: energy is not counted
#   power.link_slumber = 0.05 W: energy is not counted
#   power.program = 15 uJ: energy is not counted
#   power.read = 3 uJ: energy is not counted
#   power.sleep_after = 10 ms: energy is not counted
#   power.states[1].after = 100 ms: energy is not counted
#   power.states[1].entry = 5 ms: energy is not counted
#   power.states[1].exit = 5 ms: energy is not counted
#   power.states[1].name = PS3: energy is not counted
#   power.states[1].power = 30 mW: energy is not counted
#   power.states[2].after = 2000 ms: energy is not counted
#   power.states[2].entry = 5 ms: energy is not counted
#   power.states[2].exit = 9 ms: energy is not counted
#   power.states[2].name = PS4: energy is not counted
#   power.states[2].power = 4 mW: energy is not counted
#   power.transfer = 0.1 nJ/B: energy is not counted
#   reliability.life_shape = 4: errors have properties with other numbers
#   reliability.median_cycles = 3000: errors have properties with other numbers
#   reliability.rated_bytes = 200 TB: errors have properties with other numbers
#   reliability.rated_cycles = 1000: errors have properties with other numbers
#
# Also different:
#   capacity: FEMU's drive is 352256 bytes smaller, as devsz_mb is whole MiB
#   gc.reserve 2: FEMU keeps whole percent of its lines free, here 21, which changes what collection costs
#   nand.planes_per_die 4: joined to one, whose blocks have the pages of 4 and whose programs take a part of the time; a die reads one page at a time
set -eu
exec "${QEMU:-qemu-system-x86_64}" "$@" -device femu,femu_mode=1,nchs=4,luns_per_ch=2,pls_per_lun=1,blks_per_pl=2112,pgs_per_blk=16384,secsz=512,secs_per_pg=8,pg_rd_lat=122000,pg_wr_lat=321938,blk_er_lat=10000000,ch_xfer_lat=5120,cmd_addr_lat=500,mp_program=off,mp_read=on,mapping=dftl,mapping_cache_mb=256,devsz_mb=976762,gc_policy=greedy,gc_thres_pcent_high=99,buffer_size=2048,fw_cpu_ns=1400,trim_lat_ns=0,pe_suspend=0,pcie_bandwidth_mbps=3600,entries=1024
