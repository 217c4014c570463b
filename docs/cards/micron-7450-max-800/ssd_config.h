/*
 * micron-7450-max-800: Micron 7450 MAX 800 GB (2022), written by `ftlab card`.
 *
 * How far the card is off: `ftlab import` made a drive of it, which ran beside the one that it is of.
 * This is no run of the other program.
 *   rate: median 4.8 %, worst 64.9 % (random-65536-qd32-read50), over 12 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
 *   mean latency: median 5.4 %, worst 515.1 % (reads of random-65536-qd32-read50), over 16 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
 *   p99 latency: median 62.8 %, worst 496.1 % (reads of random-65536-qd32-read50), over 16 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
 *   rate: median 4.1 %, worst 42.1 % (sequential-4096-qd32-read100), over 12 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
 *   mean latency: median 3.8 %, worst 360.9 % (reads of sequential-65536-qd32-read50), over 16 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
 *   p99 latency: median 56.2 %, worst 214.3 % (writes of sequential-4096-qd32-read50), over 16 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
 *
 * Put this into NVMeVirt's ssd_config.h, define FTLAB_MICRON_7450_MAX_800 as a number of its own beside the other drives, and build the module with it as BASE_SSD.
 * The module needs 1110.367 GiB of memory for all of the flash (memmap_size), which ftlab reads as --capacity 1110.367
 *
 * NVMeVirt has no key for these, which decide speed:
 *   buffer.release = transferred: the write buffer has a size alone
 *   firmware.die_queue = 4: firmware adds to latencies alone
 *   firmware.in_order = false: firmware adds to latencies alone
 *   firmware.overlap = true: firmware adds to latencies alone
 *   gc.policy = greedy: the line with the fewest valid pages is collected when two are left
 *   gc.reserve = 3: the line with the fewest valid pages is collected when two are left
 *   gc.turn = 10: the line with the fewest valid pages is collected when two are left
 *   gc.waiting_max = 128: the line with the fewest valid pages is collected when two are left
 *   link.command = 0.3 us: the link has a rate alone
 *   link.payload_max = 512 B: the link has a rate alone
 *   map.dram = 1024 MiB: the whole table is in memory
 *   map.entry = 4 B: the whole table is in memory
 *   map.parity = 31: there is no parity
 *   nand.channel_command = 0.5 us: commands take no time on the channel
 *   nand.page_spare = 2 KiB: pages have no spare bytes
 *   nand.t_read_spread = 0.2: there is no definition for it
 *   queue.depth = 1024: queues are the host's
 *   scheduling.independent_plane_reads = true: operations of a die take their turn
 *   scheduling.order = all-reads-first: operations of a die take their turn
 *   scheduling.overtake_max = 64: operations of a die take their turn
 *   scheduling.plane_collection = true: operations of a die take their turn
 *   scheduling.plane_reads = true: operations of a die take their turn
 *   scheduling.resume_time = 760 us: operations of a die take their turn
 *   scheduling.suspend = program-erase: operations of a die take their turn
 *   scheduling.suspend_every = 30 us: operations of a die take their turn
 *   scheduling.suspend_left_min = 400 us: operations of a die take their turn
 *   scheduling.suspend_max = 16: operations of a die take their turn
 *   scheduling.suspend_time = 55 us: operations of a die take their turn
 *
 * NVMeVirt has no key for these, which do not decide speed:
 *   power_loss.capacitors = 1: power is never lost
 *   reliability.rated_bytes = 4380 TB: no block wears out
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
#if (BASE_SSD == FTLAB_MICRON_7450_MAX_800)
#define NS_SSD_TYPE_0 SSD_TYPE_CONV
#define NR_NAMESPACES (1)
#define NS_CAPACITY_0 (0)
#define MDTS (6)
#define SSD_PARTITIONS (1)
#define NAND_CHANNELS (8)
#define LUNS_PER_NAND_CH (2)
#define PLNS_PER_LUN (1)
#define BLKS_PER_PLN (557)
#define BLK_SIZE (0)
#define FLASH_PAGE_SIZE (16384)
#define ONESHOT_PAGE_SIZE (65536)
#define CELL_MODE (3)
#define NAND_READ_LATENCY_LSB (52000)
#define NAND_4KB_READ_LATENCY_LSB (52000)
#define NAND_READ_LATENCY_MSB (52000)
#define NAND_4KB_READ_LATENCY_MSB (52000)
#define NAND_READ_LATENCY_CSB (52000)
#define NAND_4KB_READ_LATENCY_CSB (52000)
#define NAND_PROG_LATENCY (636000)
#define NAND_ERASE_LATENCY (10000000)
#define NAND_CHANNEL_BANDWIDTH (1144)
#define MAX_CH_XFER_SIZE (16384)
#define WRITE_UNIT_SIZE (512)
#define OP_AREA_PERCENT (0.491)
#define GLOBAL_WB_SIZE (2097152)
#define WRITE_EARLY_COMPLETION (1)
#define FW_READ_LATENCY (6100)
#define FW_4KB_READ_LATENCY (6100)
#define FW_WBUF_LATENCY0 (7300)
#define FW_WBUF_LATENCY1 (150)
#define FW_CH_XFER_LATENCY (0)
#define PCIE_BANDWIDTH (6580)
#endif
