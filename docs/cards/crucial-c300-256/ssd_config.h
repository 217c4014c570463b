/*
 * crucial-c300-256: Crucial RealSSD C300 256 GB (2010), written by `ftlab card`.
 *
 * How far the card is off: `ftlab import` made a drive of it, which ran beside the one that it is of.
 * This is no run of the other program.
 *   rate: median 32.6 %, worst 159.3 % (random-4096-qd32-read100), over 12 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
 *   mean latency: median 24.6 %, worst 90.5 % (writes of random-65536-qd32-read50), over 16 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
 *   p99 latency: median 31.2 %, worst 78.2 % (writes of random-4096-qd32-read50), over 16 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
 *   rate: median 43.3 %, worst 159.3 % (sequential-4096-qd32-read100), over 12 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
 *   mean latency: median 31.4 %, worst 117.4 % (reads of sequential-4096-qd1-read100), over 16 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
 *   p99 latency: median 28.8 %, worst 117.4 % (reads of sequential-4096-qd1-read100), over 16 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
 *
 * Put this into NVMeVirt's ssd_config.h, define FTLAB_CRUCIAL_C300_256 as a number of its own beside the other drives, and build the module with it as BASE_SSD.
 * The module needs 255.169 GiB of memory for all of the flash (memmap_size), which ftlab reads as --capacity 255.169
 *
 * NVMeVirt has no key for these, which decide speed:
 *   buffer.read_ahead = 64 KiB: the write buffer has a size alone
 *   firmware.die_queue = 4: firmware adds to latencies alone
 *   firmware.overlap = true: firmware adds to latencies alone
 *   firmware.write_slot = 18.8 us: firmware adds to latencies alone
 *   gc.policy = greedy: the line with the fewest valid pages is collected when two are left
 *   gc.reserve = 3: the line with the fewest valid pages is collected when two are left
 *   link.command = 3.9 us: the link has a rate alone
 *   map.dram = 256 MiB: the whole table is in memory
 *   map.entry = 4 B: the whole table is in memory
 *   nand.channel_command = 5 us: commands take no time on the channel
 *   nand.page_spare = 224 B: pages have no spare bytes
 *   queue.depth = 32: queues are the host's
 *   scheduling.plane_reads = true: operations of a die take their turn
 *
 * NVMeVirt has no key for these, which do not decide speed:
 *   power.controller_active = 800 mW: energy is not counted
 *   power.controller_idle = 350 mW: energy is not counted
 *   power.dram = 80 mW: energy is not counted
 *   power.erase = 248 uJ: energy is not counted
 *   power.link_active = 300 mW: energy is not counted
 *   power.link_idle = 180 mW: energy is not counted
 *   power.link_slumber = 50 mW: energy is not counted
 *   power.program = 74 uJ: energy is not counted
 *   power.read = 4.1 uJ: energy is not counted
 *   power.transfer = 0.4 nJ/B: energy is not counted
 *   reliability.erase_share = 0.9: no block wears out
 *   reliability.life_shape = 4: no block wears out
 *   reliability.median_cycles = 15000: no block wears out
 *   reliability.rated_cycles = 5000: no block wears out
 *   smart.vendor = micron: there are no attributes
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
#if (BASE_SSD == FTLAB_CRUCIAL_C300_256)
#define NS_SSD_TYPE_0 SSD_TYPE_CONV
#define NR_NAMESPACES (1)
#define NS_CAPACITY_0 (0)
#define MDTS (6)
#define SSD_PARTITIONS (1)
#define NAND_CHANNELS (8)
#define LUNS_PER_NAND_CH (8)
#define PLNS_PER_LUN (1)
#define BLKS_PER_PLN (4096)
#define BLK_SIZE (0)
#define FLASH_PAGE_SIZE (4096)
#define ONESHOT_PAGE_SIZE (4096)
#define CELL_MODE (2)
#define NAND_READ_LATENCY_LSB (50000)
#define NAND_4KB_READ_LATENCY_LSB (50000)
#define NAND_READ_LATENCY_MSB (50000)
#define NAND_4KB_READ_LATENCY_MSB (50000)
#define NAND_READ_LATENCY_CSB (0)
#define NAND_4KB_READ_LATENCY_CSB (0)
#define NAND_PROG_LATENCY (900000)
#define NAND_ERASE_LATENCY (3000000)
#define NAND_CHANNEL_BANDWIDTH (158)
#define MAX_CH_XFER_SIZE (16384)
#define WRITE_UNIT_SIZE (512)
#define OP_AREA_PERCENT (0.071)
#define GLOBAL_WB_SIZE (4194304)
#define WRITE_EARLY_COMPLETION (1)
#define FW_READ_LATENCY (24120)
#define FW_4KB_READ_LATENCY (24120)
#define FW_WBUF_LATENCY0 (47800)
#define FW_WBUF_LATENCY1 (11600)
#define FW_CH_XFER_LATENCY (0)
#define PCIE_BANDWIDTH (572)
#endif
