/*
 * samsung-980-pro-1000: Samsung 980 PRO 1 TB (2020), written by `ftlab card`.
 *
 * How far the card is off: `ftlab import` made a drive of it, which ran beside the one that it is of.
 * This is no run of the other program.
 *   rate: median 6.7 %, worst 135.0 % (random-4096-qd32-read0), over 12 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
 *   mean latency: median 7.7 %, worst 672.7 % (reads of random-65536-qd32-read50), over 16 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
 *   p99 latency: median 11.7 %, worst 609.3 % (reads of random-65536-qd32-read50), over 16 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
 *   rate: median 14.5 %, worst 117.8 % (sequential-4096-qd32-read0), over 12 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
 *   mean latency: median 6.1 %, worst 526.3 % (reads of sequential-65536-qd32-read50), over 16 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
 *   p99 latency: median 14.7 %, worst 488.7 % (reads of sequential-65536-qd32-read50), over 16 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
 *
 * Put this into NVMeVirt's ssd_config.h, define FTLAB_SAMSUNG_980_PRO_1000 as a number of its own beside the other drives, and build the module with it as BASE_SSD.
 * The module needs 1061.926 GiB of memory for all of the flash (memmap_size), which ftlab reads as --capacity 1061.926
 *
 * NVMeVirt has no key for these, which decide speed:
 *   firmware.die_queue = 4: firmware adds to latencies alone
 *   firmware.flush_record = 300 us: firmware adds to latencies alone
 *   firmware.overlap = true: firmware adds to latencies alone
 *   gc.policy = greedy: the line with the fewest valid pages is collected when two are left
 *   gc.reserve = 2: the line with the fewest valid pages is collected when two are left
 *   link.command = 0.3 us: the link has a rate alone
 *   link.payload_max = 256 B: the link has a rate alone
 *   map.dram = 1024 MiB: the whole table is in memory
 *   map.entry = 4 B: the whole table is in memory
 *   nand.channel_command = 0.5 us: commands take no time on the channel
 *   nand.page_spare = 2 KiB: pages have no spare bytes
 *   queue.depth = 1024: queues are the host's
 *   queue.transfer_max = 512 KiB: queues are the host's
 *   scheduling.gc_preemptible = true: operations of a die take their turn
 *   scheduling.order = read-first: operations of a die take their turn
 *   scheduling.overtake_max = 64: operations of a die take their turn
 *   scheduling.plane_collection = true: operations of a die take their turn
 *   scheduling.plane_reads = true: operations of a die take their turn
 *   slc.bits = 3: all blocks hold the same number of bits a cell
 *   slc.fold_after = 500 ms: all blocks hold the same number of bits a cell
 *   slc.more_size = 108 GB: all blocks hold the same number of bits a cell
 *   slc.own_size = 6 GB: all blocks hold the same number of bits a cell
 *   slc.t_program = 100 us: all blocks hold the same number of bits a cell
 *   slc.t_read = 30 us: all blocks hold the same number of bits a cell
 *   slc.when_full = direct: all blocks hold the same number of bits a cell
 *   slc.when_out = fold: all blocks hold the same number of bits a cell
 *   thermal.ambient = 22 C: nothing warms up
 *   thermal.capacity = 6 J/K: nothing warms up
 *   thermal.critical = 85 C: nothing warms up
 *   thermal.heavy_from = 85 C: nothing warms up
 *   thermal.heavy_rate = 300 MB/s: nothing warms up
 *   thermal.heavy_until = 80 C: nothing warms up
 *   thermal.light_from = 82 C: nothing warms up
 *   thermal.light_rate = 1500 MB/s: nothing warms up
 *   thermal.light_until = 78 C: nothing warms up
 *   thermal.resistance = 10.5 K/W: nothing warms up
 *   thermal.warning = 82 C: nothing warms up
 *
 * NVMeVirt has no key for these, which do not decide speed:
 *   power.controller_active = 2.2 W: energy is not counted
 *   power.controller_idle = 0.6 W: energy is not counted
 *   power.dram = 0.15 W: energy is not counted
 *   power.erase = 300 uJ: energy is not counted
 *   power.link_active = 0.9 W: energy is not counted
 *   power.link_idle = 0.3 W: energy is not counted
 *   power.link_slumber = 0.05 W: energy is not counted
 *   power.program = 15 uJ: energy is not counted
 *   power.read = 3 uJ: energy is not counted
 *   power.sleep_after = 10 ms: energy is not counted
 *   power.states[1].after = 100 ms: energy is not counted
 *   power.states[1].entry = 2 ms: energy is not counted
 *   power.states[1].exit = 1.2 ms: energy is not counted
 *   power.states[1].name = PS3: energy is not counted
 *   power.states[1].power = 40 mW: energy is not counted
 *   power.states[2].after = 2000 ms: energy is not counted
 *   power.states[2].entry = 0.5 ms: energy is not counted
 *   power.states[2].exit = 9.5 ms: energy is not counted
 *   power.states[2].name = PS4: energy is not counted
 *   power.states[2].power = 5 mW: energy is not counted
 *   power.transfer = 0.1 nJ/B: energy is not counted
 *   reliability.life_shape = 4: no block wears out
 *   reliability.median_cycles = 3000: no block wears out
 *   reliability.rated_bytes = 600 TB: no block wears out
 *   reliability.rated_cycles = 1000: no block wears out
 *
 * No drive file says these, so they are assumed:
 *   NR_NAMESPACES = 1: there is one
 *   NS_CAPACITY_0 = 0: all of the memory
 *   MDTS = 6: as its other drives: requests of 256 KiB at most
 *   BLK_SIZE = 0: worked out from the capacity
 *   MAX_CH_XFER_SIZE = 16384: as its other drives
 *   WRITE_UNIT_SIZE = 512: a sector
 *   FW_CH_XFER_LATENCY = 0: the channel has a rate alone
 */
#if (BASE_SSD == FTLAB_SAMSUNG_980_PRO_1000)
#define NS_SSD_TYPE_0 SSD_TYPE_CONV
#define NR_NAMESPACES (1)
#define NS_CAPACITY_0 (0)
#define MDTS (6)
#define SSD_PARTITIONS (1)
#define NAND_CHANNELS (8)
#define LUNS_PER_NAND_CH (2)
#define PLNS_PER_LUN (1)
#define BLKS_PER_PLN (1880)
#define BLK_SIZE (0)
#define FLASH_PAGE_SIZE (16384)
#define ONESHOT_PAGE_SIZE (32768)
#define CELL_MODE (3)
#define NAND_READ_LATENCY_LSB (60000)
#define NAND_4KB_READ_LATENCY_LSB (60000)
#define NAND_READ_LATENCY_MSB (60000)
#define NAND_4KB_READ_LATENCY_MSB (60000)
#define NAND_READ_LATENCY_CSB (60000)
#define NAND_4KB_READ_LATENCY_CSB (60000)
#define NAND_PROG_LATENCY (319000)
#define NAND_ERASE_LATENCY (10000000)
#define NAND_CHANNEL_BANDWIDTH (1144)
#define MAX_CH_XFER_SIZE (16384)
#define WRITE_UNIT_SIZE (512)
#define OP_AREA_PERCENT (0.141)
#define GLOBAL_WB_SIZE (8388608)
#define WRITE_EARLY_COMPLETION (1)
#define FW_READ_LATENCY (6600)
#define FW_4KB_READ_LATENCY (6600)
#define FW_WBUF_LATENCY0 (4200)
#define FW_WBUF_LATENCY1 (150)
#define FW_CH_XFER_LATENCY (0)
#define PCIE_BANDWIDTH (6868)
#endif
