/*
 * intel-x25-m-g2-80: Intel X25-M G2 80 GB (2009), written by `ftlab card`.
 *
 * How far the card is off: `ftlab import` made a drive of it, which ran beside the one that it is of.
 * This is no run of the other program.
 *   rate: median 15.7 %, worst 119.2 % (random-4096-qd32-read50), over 12 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
 *   mean latency: median 19.1 %, worst 93.3 % (writes of random-4096-qd32-read50), over 16 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
 *   p99 latency: median 17.0 %, worst 93.2 % (writes of random-4096-qd32-read50), over 16 figures of random loads of 4 KiB and 64 KiB at depths 1 and 32
 *   rate: median 26.8 %, worst 134.7 % (sequential-4096-qd32-read50), over 12 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
 *   mean latency: median 33.6 %, worst 147.9 % (reads of sequential-4096-qd1-read100), over 16 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
 *   p99 latency: median 18.8 %, worst 52.7 % (reads of sequential-65536-qd1-read100), over 16 figures of sequential loads of 4 KiB and 64 KiB at depths 1 and 32
 *
 * Put this into NVMeVirt's ssd_config.h, define FTLAB_INTEL_X25_M_G2_80 as a number of its own beside the other drives, and build the module with it as BASE_SSD.
 * The module needs 79.748 GiB of memory for all of the flash (memmap_size), which ftlab reads as --capacity 79.748
 *
 * NVMeVirt has no key for these, which decide speed:
 *   buffer.read_ahead = 16 KiB: the write buffer has a size alone
 *   buffer.read_on = all-taken: the write buffer has a size alone
 *   checkpoint.every = 1 GiB: the mapping table is not saved
 *   checkpoint.size = 7.5 MiB: the mapping table is not saved
 *   ecc.activation = 1.1 eV: no read is repeated
 *   ecc.codeword = 512 B: no read is repeated
 *   ecc.correctable_bits = 12: no read is repeated
 *   ecc.disturb_power = 1: no read is repeated
 *   ecc.rber_disturb = 0.00001: no read is repeated
 *   ecc.rber_new = 0.000001: no read is repeated
 *   ecc.rber_retention = 0.00014: no read is repeated
 *   ecc.rber_wear = 0.00005: no read is repeated
 *   ecc.retention_power = 1.2: no read is repeated
 *   ecc.retries = 4: no read is repeated
 *   ecc.retry_gain = 0.3: no read is repeated
 *   ecc.wear_power = 2: no read is repeated
 *   firmware.die_queue = 4: firmware adds to latencies alone
 *   firmware.overlap = true: firmware adds to latencies alone
 *   gc.policy = greedy: the line with the fewest valid pages is collected when two are left
 *   gc.reserve = 3: the line with the fewest valid pages is collected when two are left
 *   link.command = 2 us: the link has a rate alone
 *   map.dram = 32 MiB: the whole table is in memory
 *   map.run = 15 B: the whole table is in memory
 *   nand.channel_command = 5 us: commands take no time on the channel
 *   nand.page_spare = 224 B: pages have no spare bytes
 *   queue.depth = 32: queues are the host's
 *   scheduling.programs_max = 26: operations of a die take their turn
 *   wear.allocation = least-worn: nothing is levelled
 *   wear.every_collections = 4: nothing is levelled
 *   wear.spread = 200: nothing is levelled
 *
 * NVMeVirt has no key for these, which do not decide speed:
 *   power.controller_active = 500 mW: energy is not counted
 *   power.controller_idle = 30 mW: energy is not counted
 *   power.dram = 40 mW: energy is not counted
 *   power.erase = 250 uJ: energy is not counted
 *   power.link_active = 250 mW: energy is not counted
 *   power.link_idle = 200 mW: energy is not counted
 *   power.link_slumber = 10 mW: energy is not counted
 *   power.program = 78 uJ: energy is not counted
 *   power.read = 4.1 uJ: energy is not counted
 *   power.sleep_after = 208 ms: energy is not counted
 *   power.transfer = 1.2 nJ/B: energy is not counted
 *   reliability.erase_share = 0.9: no block wears out
 *   reliability.life_shape = 4: no block wears out
 *   reliability.median_cycles = 15000: no block wears out
 *   reliability.rated_cycles = 5000: no block wears out
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
#if (BASE_SSD == FTLAB_INTEL_X25_M_G2_80)
#define NS_SSD_TYPE_0 SSD_TYPE_CONV
#define NR_NAMESPACES (1)
#define NS_CAPACITY_0 (0)
#define MDTS (6)
#define SSD_PARTITIONS (1)
#define NAND_CHANNELS (10)
#define LUNS_PER_NAND_CH (2)
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
#define NAND_PROG_LATENCY (968000)
#define NAND_ERASE_LATENCY (3000000)
#define NAND_CHANNEL_BANDWIDTH (38)
#define MAX_CH_XFER_SIZE (16384)
#define WRITE_UNIT_SIZE (512)
#define OP_AREA_PERCENT (0.071)
#define GLOBAL_WB_SIZE (262144)
#define WRITE_EARLY_COMPLETION (1)
#define FW_READ_LATENCY (13000)
#define FW_4KB_READ_LATENCY (13000)
#define FW_WBUF_LATENCY0 (95000)
#define FW_WBUF_LATENCY1 (15200)
#define FW_CH_XFER_LATENCY (0)
#define PCIE_BANDWIDTH (286)
#endif
