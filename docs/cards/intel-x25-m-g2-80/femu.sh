#!/bin/sh
# intel-x25-m-g2-80: Intel X25-M G2 80 GB (2009), written by `ftlab card`.
#
# How far the card is off: `ftlab import` made a drive of it, which ran beside the one that it is of.
# This is no run of the other program.
#   rate: median 18.1 %, worst 104.5 % (random-4096-qd32-read0), over 12 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
#   mean latency: median 17.0 %, worst 91.4 % (reads of random-4096-qd32-read100), over 16 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
#   p99 latency: median 25.7 %, worst 68.3 % (reads of random-65536-qd1-read100), over 16 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
#   rate: median 32.2 %, worst 104.5 % (sequential-4096-qd32-read0), over 12 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
#   mean latency: median 22.3 %, worst 209.2 % (reads of sequential-4096-qd1-read100), over 16 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
#   p99 latency: median 32.2 %, worst 91.5 % (reads of sequential-4096-qd32-read100), over 16 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
#
# Starts QEMU with the drive as FEMU's black-box SSD; the rest of QEMU's words follow:
#   QEMU=./qemu-system-x86_64 sh FILE -m 4G -smp 4 -drive …
#
# FEMU has no key for these, which decide speed:
#   buffer.read_ahead = 16 KiB: the write buffer has a size alone
#   buffer.read_on = all-taken: the write buffer has a size alone
#   checkpoint.every = 1 GiB: the mapping table is not saved
#   checkpoint.size = 7.5 MiB: the mapping table is not saved
#   ecc.activation = 1.1 eV: errors have properties with other numbers
#   ecc.codeword = 512 B: errors have properties with other numbers
#   ecc.correctable_bits = 12: errors have properties with other numbers
#   ecc.disturb_power = 1: errors have properties with other numbers
#   ecc.rber_disturb = 0.00001: errors have properties with other numbers
#   ecc.rber_new = 0.000001: errors have properties with other numbers
#   ecc.rber_retention = 0.00014: errors have properties with other numbers
#   ecc.rber_wear = 0.00005: errors have properties with other numbers
#   ecc.retention_power = 1.2: errors have properties with other numbers
#   ecc.retries = 4: errors have properties with other numbers
#   ecc.retry_gain = 0.3: errors have properties with other numbers
#   ecc.wear_power = 2: errors have properties with other numbers
#   firmware.die_queue = 4: queues of dies have no end
#   firmware.overlap = true: firmware takes one time of each command, fw_cpu_ns
#   firmware.per_slot = 15.2 us: firmware takes one time of each command, fw_cpu_ns
#   link.command = 2 us: the link has a rate alone
#   map.stripe_dies = 20: a line has a block of every die
#   nand.page_spare = 224 B: pages have no spare bytes
#   scheduling.programs_max = 26: reads pass writes only where pe_suspend says so
#   wear.allocation = least-worn: nothing is levelled
#   wear.every_collections = 4: nothing is levelled
#   wear.spread = 200: nothing is levelled
#
# FEMU has no key for these, which do not decide speed:
#   power.controller_active = 500 mW: energy is not counted
#   power.controller_idle = 30 mW: energy is not counted
#   power.dram = 40 mW: energy is not counted
#   power.erase = 250 uJ: energy is not counted
#   power.link_active = 250 mW: energy is not counted
#   power.link_idle = 200 mW: energy is not counted
#   power.link_slumber = 10 mW: energy is not counted
#   power.program = 78 uJ: energy is not counted
#   power.read = 4.1 uJ: energy is not counted
#   power.sleep_after = 208 ms: energy is not counted
#   power.transfer = 1.2 nJ/B: energy is not counted
#   reliability.erase_share = 0.9: errors have properties with other numbers
#   reliability.life_shape = 4: errors have properties with other numbers
#   reliability.median_cycles = 15000: errors have properties with other numbers
#   reliability.rated_cycles = 5000: errors have properties with other numbers
#   smart.vendor = intel: SMART is QEMU's
#
# Also different:
#   capacity: FEMU's drive is 90112 bytes smaller, as devsz_mb is whole MiB
#   gc.reserve 3: FEMU keeps whole percent of its lines free, here 41, which changes what collection costs
set -eu
exec "${QEMU:-qemu-system-x86_64}" "$@" -device femu,femu_mode=1,nchs=10,luns_per_ch=2,pls_per_lun=1,blks_per_pl=4096,pgs_per_blk=256,secsz=512,secs_per_pg=8,pg_rd_lat=50000,pg_wr_lat=968000,blk_er_lat=3000000,ch_xfer_lat=102400,cmd_addr_lat=5000,mp_program=off,mp_read=off,mapping=dftl,mapping_cache_mb=32,devsz_mb=76319,gc_policy=greedy,gc_thres_pcent_high=99,buffer_size=64,fw_cpu_ns=54000,trim_lat_ns=0,pe_suspend=0,pcie_bandwidth_mbps=300,entries=32
