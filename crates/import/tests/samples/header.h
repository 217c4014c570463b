/* Two drives in the layout of NVMeVirt's ssd_config.h. Their numbers are ours. */
#ifndef SAMPLE_CONFIG_H
#define SAMPLE_CONFIG_H

#define SMALL 1
#define ZONED 2

#define SSD_TYPE_CONV 1
#define SSD_TYPE_ZNS 2
#define CELL_MODE_MLC 2

struct of_no_matter {
	int nand_channels;
};

#if (BASE_SSD == SMALL)
#define NR_NAMESPACES 1
#define NS_SSD_TYPE_0 SSD_TYPE_CONV
#define NS_CAPACITY_0 (0)
#define MDTS (6)
#define CELL_MODE (CELL_MODE_MLC)

#define SSD_PARTITIONS (2)
#define NAND_CHANNELS (4)
#define LUNS_PER_NAND_CH (2)
#define PLNS_PER_LUN (1)
#define FLASH_PAGE_SIZE KB(16)
#define ONESHOT_PAGE_SIZE (FLASH_PAGE_SIZE * 2)
#define BLKS_PER_PLN (128)
#define BLK_SIZE (0)
static_assert((ONESHOT_PAGE_SIZE % FLASH_PAGE_SIZE) == 0);

#define NAND_CHANNEL_BANDWIDTH (800ull) // MB/s
#define PCIE_BANDWIDTH (3200ull) // MB/s
#define NAND_READ_LATENCY_LSB (36000 - 6000) // ns
#define NAND_READ_LATENCY_MSB (36000 + 6000)
#define NAND_READ_LATENCY_CSB (0)
#define NAND_PROG_LATENCY (185000)
#define NAND_ERASE_LATENCY (2000000)
#define FW_READ_LATENCY (20000)
#define FW_WBUF_LATENCY0 (4000)
#define FW_WBUF_LATENCY1 (500)
#define OP_AREA_PERCENT (0.07)
#if 0
#define GLOBAL_WB_SIZE (1)
#else
#define GLOBAL_WB_SIZE (NAND_CHANNELS * LUNS_PER_NAND_CH * \
	ONESHOT_PAGE_SIZE * 2)
#endif
#define WRITE_EARLY_COMPLETION 1

#elif (BASE_SSD == ZONED)
#define NS_SSD_TYPE_0 SSD_TYPE_ZNS
#endif

#endif
