/*
 * intel-dc-s3700-200: Intel SSD DC S3700 200 GB (2012), written by `ftlab card`.
 *
 * How far the card is off: `ftlab import` made a drive of it, which ran beside the one that it is of.
 * This is no run of the other program.
 *   rate: median 21.1 %, worst 122.6 % (random-4096-qd32-read0), over 12 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
 *   mean latency: median 22.7 %, worst 80.1 % (writes of random-4096-qd32-read50), over 16 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
 *   p99 latency: median 17.5 %, worst 75.7 % (writes of random-4096-qd32-read50), over 16 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
 *   rate: median 31.4 %, worst 122.6 % (sequential-4096-qd32-read0), over 12 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
 *   mean latency: median 28.3 %, worst 260.6 % (reads of sequential-4096-qd1-read100), over 16 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
 *   p99 latency: median 18.8 %, worst 260.6 % (reads of sequential-4096-qd1-read100), over 16 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
 *
 * Put this into NVMeVirt's ssd_config.h, define FTLAB_INTEL_DC_S3700_200 as a number of its own beside the other drives, and build the module with it as BASE_SSD.
 * The module needs 264.562 GiB of memory for all of the flash (memmap_size), which ftlab reads as --capacity 264.562
 *
 * NVMeVirt has no key for these, which decide speed:
 *   buffer.read_ahead = 64 KiB: the write buffer has a size alone
 *   firmware.die_queue = 2: firmware adds to latencies alone
 *   firmware.overlap = true: firmware adds to latencies alone
 *   gc.policy = greedy: the line with the fewest valid pages is collected when two are left
 *   gc.reserve = 4: the line with the fewest valid pages is collected when two are left
 *   link.command = 1 us: the link has a rate alone
 *   nand.channel_command = 5 us: commands take no time on the channel
 *   nand.page_spare = 448 B: pages have no spare bytes
 *   queue.depth = 32: queues are the host's
 *   wear.allocation = least-worn: nothing is levelled
 *   wear.every_collections = 4: nothing is levelled
 *   wear.spread = 64: nothing is levelled
 *
 * NVMeVirt has no key for these, which do not decide speed:
 *   power.controller_active = 1200 mW: energy is not counted
 *   power.controller_idle = 450 mW: energy is not counted
 *   power.dram = 100 mW: energy is not counted
 *   power.erase = 250 uJ: energy is not counted
 *   power.link_active = 300 mW: energy is not counted
 *   power.link_idle = 200 mW: energy is not counted
 *   power.link_slumber = 20 mW: energy is not counted
 *   power.program = 107 uJ: energy is not counted
 *   power.read = 4.1 uJ: energy is not counted
 *   power.transfer = 0.3 nJ/B: energy is not counted
 *   power_loss.capacitors = 2: power is never lost
 *   reliability.erase_share = 0.9: no block wears out
 *   reliability.life_shape = 4: no block wears out
 *   reliability.median_cycles = 60000: no block wears out
 *   reliability.rated_cycles = 30000: no block wears out
 *   smart.vendor = intel: there are no attributes
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
#if (BASE_SSD == FTLAB_INTEL_DC_S3700_200)
#define NS_SSD_TYPE_0 SSD_TYPE_CONV
#define NR_NAMESPACES (1)
#define NS_CAPACITY_0 (0)
#define MDTS (6)
#define SSD_PARTITIONS (1)
#define NAND_CHANNELS (8)
#define LUNS_PER_NAND_CH (4)
#define PLNS_PER_LUN (1)
#define BLKS_PER_PLN (2112)
#define BLK_SIZE (0)
#define FLASH_PAGE_SIZE (8192)
#define ONESHOT_PAGE_SIZE (16384)
#define CELL_MODE (2)
#define NAND_READ_LATENCY_LSB (50000)
#define NAND_4KB_READ_LATENCY_LSB (50000)
#define NAND_READ_LATENCY_MSB (50000)
#define NAND_4KB_READ_LATENCY_MSB (50000)
#define NAND_READ_LATENCY_CSB (0)
#define NAND_4KB_READ_LATENCY_CSB (0)
#define NAND_PROG_LATENCY (1300000)
#define NAND_ERASE_LATENCY (3000000)
#define NAND_CHANNEL_BANDWIDTH (158)
#define MAX_CH_XFER_SIZE (16384)
#define WRITE_UNIT_SIZE (512)
#define OP_AREA_PERCENT (0.421)
#define GLOBAL_WB_SIZE (1048576)
#define WRITE_EARLY_COMPLETION (1)
#define FW_READ_LATENCY (5100)
#define FW_4KB_READ_LATENCY (5100)
#define FW_WBUF_LATENCY0 (64000)
#define FW_WBUF_LATENCY1 (8200)
#define FW_CH_XFER_LATENCY (0)
#define PCIE_BANDWIDTH (572)
#endif
