//! What each program's files become, and what is said of files that become nothing.

use ftlab_import::{Imported, Nvmevirt, Text, femu, mqsim, nvmevirt, simplessd};

const DEVICE: &str = include_str!("samples/device.xml");
const LOAD: &str = include_str!("samples/load.xml");
const CFG: &str = include_str!("samples/drive.cfg");
const HEADER: &str = include_str!("samples/header.h");

const SCRIPT: &str = include_str!("samples/run.sh");

const FEMU: &str = "-device femu,devsz_mb=400,femu_mode=1,secsz=512,secs_per_pg=16,pgs_per_blk=64,blks_per_pl=128,\
                    pls_per_lun=1,luns_per_ch=2,nchs=4,pg_rd_lat=40000,pg_wr_lat=200000,blk_er_lat=2000000,\
                    ch_xfer_lat=20000,gc_thres_pcent_high=97,gc_policy=d-choice,colour=blue -nographic";

fn text<'a>(name: &'a str, text: &'a str) -> Text<'a> {
    Text { name, text }
}

fn of_mqsim(device: &str) -> Result<Imported, String> {
    mqsim(&text("device.xml", device), None).map_err(|error| error.to_string())
}

fn of_header(header: &str, base: Option<&str>) -> Result<Imported, String> {
    let asked = Nvmevirt {
        base,
        capacity_bytes: 1 << 30,
    };
    nvmevirt(&text("header.h", header), asked).map_err(|error| error.to_string())
}

/// The value of a key in a drive file, and how it stands there.
fn number(imported: &Imported, key: &str) -> (f64, String) {
    let table: toml::Table = imported.drive.parse().unwrap();
    let (section, key) = key.split_once('.').unwrap();
    let row = &table[section][key];
    let value = row["value"].as_float();
    let value = value.or_else(|| row["value"].as_integer().map(|value| value as f64));
    let words = ["unit", "source", "note"].map(|name| row[name].as_str().unwrap().to_owned());
    (value.unwrap(), words.join("|"))
}

#[track_caller]
fn has(imported: &Imported, rows: &[(&str, f64, &str)]) {
    for (key, value, words) in rows {
        let (found, told) = number(imported, key);
        assert!(
            (found - value).abs() <= 1e-6 * value.abs(),
            "{key}: {found}"
        );
        assert!(told.contains(words), "{key}: {told}");
    }
}

fn left(imported: &Imported, key: &str) -> String {
    let row = imported.left.iter().find(|row| row.key == key);
    row.map_or_else(String::new, |row| format!("{}: {}", row.place, row.why))
}

#[test]
fn mqsims_device_becomes_a_drive_with_the_origin_of_every_number() {
    let imported = of_mqsim(DEVICE).unwrap();
    has(
        &imported,
        &[
            (
                "nand.channels",
                4.0,
                "1|imported|device.xml:31 Flash_Channel_Count",
            ),
            (
                "nand.dies_per_channel",
                2.0,
                "device.xml:34 Chip_No_Per_Channel, device.xml:49 Die_No_Per_Chip: their product",
            ),
            (
                "nand.t_read",
                60_000.0,
                "ns|imported|device.xml:39 Page_Read_Latency_LSB, device.xml:41 Page_Read_Latency_MSB: their mean",
            ),
            ("nand.t_program", 600_000.0, "the same for all pages"),
            (
                "nand.channel_rate",
                200.0,
                "MB/s|imported|device.xml:33 Channel_Transfer_Rate",
            ),
            ("map.slot", 8192.0, "B|imported|device.xml:53 Page_Capacity"),
            // A part of the flash is spare: 8 dies of 128 blocks of 64 pages of 8 KiB, and an eighth of it.
            (
                "spare.user_capacity",
                512.0 * 1_048_576.0 * 0.875,
                "B|imported|device.xml:24 Overprovisioning_Ratio",
            ),
            (
                "gc.reserve",
                5.0,
                "1|imported|device.xml:25 GC_Exec_Threshold",
            ),
            ("gc.choices", 7.0, "the logarithm"),
            // 3,200 MB/s.
            ("firmware.write_slot", 2560.0, "ns|imported|"),
            (
                "link.rate",
                1000.0,
                "MB/s|imported|device.xml:5 PCIe_Lane_Bandwidth, device.xml:6 PCIe_Lane_Count",
            ),
            ("queue.depth", 64.0, "Queue_Fetch_Size"),
            ("link.command", 0.0, "us|assumed|"),
        ],
    );
    for words in [
        "policy = \"d-choices\" # device.xml:26 GC_Block_Selection_Policy",
        "suspend = \"erase\" # device.xml:38 CMD_Suspension_Support",
        "# device.xml:55 Page_Colour = blue: unknown",
    ] {
        assert!(
            imported.drive.contains(words),
            "{words}\n{}",
            imported.drive
        );
    }
    assert!(left(&imported, "Plane_Allocation_Scheme").starts_with("device.xml:22: a write goes"));
    assert!(left(&imported, "Page_Read_Latency_CSB").contains("no such page"));
    assert!(left(&imported, "Suspend_Program_Time").contains("one time"));
    assert!(left(&imported, "Page_Colour").contains("unknown"));
    assert!(
        imported
            .remarks
            .iter()
            .any(|remark| remark.contains("Ideal_Mapping_Table"))
    );
}

#[test]
fn what_mqsim_is_not_told_is_its_default_and_said_to_be() {
    let without = |key: &str| {
        let lines: Vec<&str> = DEVICE.lines().filter(|line| !line.contains(key)).collect();
        of_mqsim(&lines.join("\n")).unwrap()
    };
    has(
        &without("Chip_No_Per_Channel"),
        &[(
            "nand.dies_per_channel",
            4.0,
            "1|assumed|MQSim's default of Chip_No_Per_Channel, which device.xml does not have, device.xml:48 Die_No_Per_Chip",
        )],
    );
    // The table of mappings: 2^16 pages of 16 sectors take 4 bytes each.
    let imported =
        of_mqsim(&DEVICE.replace("<Ideal_Mapping_Table>true", "<Ideal_Mapping_Table>false"))
            .unwrap();
    has(
        &imported,
        &[
            ("map.dram", 65536.0, "CMT_Capacity"),
            ("map.entry", 4.0, "as MQSim works it out"),
        ],
    );
    let twice = DEVICE.replace("<Seed>7</Seed>", "<Page_Capacity>4096</Page_Capacity>");
    let imported = of_mqsim(&twice).unwrap();
    has(&imported, &[("nand.page", 8192.0, "device.xml:53")]);
    assert!(left(&imported, "Page_Capacity").contains("it stands again in line 53, which counts"));
}

#[test]
fn mqsims_loads_become_a_job_file_each() {
    let imported = mqsim(&text("device.xml", DEVICE), Some(&text("load.xml", LOAD))).unwrap();
    let [first, second] = &imported.jobs[..] else {
        panic!("{:?}", imported.jobs);
    };
    assert_eq!(
        (first.suffix.as_str(), second.suffix.as_str()),
        ("-1", "-2")
    );
    let flows: Vec<&str> = first.text.split("\n[flow-").skip(1).collect();
    assert_eq!(
        flows[0],
        "0]\nrw=randrw\nrwmixread=70\nrandom_distribution=zoned:80/20:20/80\nbs=8192\nblockalign=512\nsize=40%\n\
         iodepth=8\ntime_based\nruntime=100000us\nrandseed=11\n"
    );
    assert_eq!(
        flows[1],
        "1]\nrw=write\nbs=32768\noffset=50%\nsize=50%\nrate_iops=256\nrate_process=poisson\niodepth=1024\n\
         number_ios=50\nrandseed=1\n"
    );
    assert!(
        second
            .text
            .ends_with("[flow-0]\nread_iolog=traces/web.trace\n")
    );
    assert!(left(&imported, "Priority_Class").starts_with("load.xml:6: "));
    let remarks = imported.remarks.join("\n");
    for words in [
        "Initial_Occupancy_Percentage 100",
        "MQSim would take 50 percent",
        "requests of the mean size",
    ] {
        assert!(remarks.contains(words), "{remarks}");
    }
}

#[test]
fn simplessds_sections_become_a_drive_and_its_generator_a_job() {
    let imported = simplessd(&text("drive.cfg", CFG), None).unwrap();
    has(
        &imported,
        &[
            (
                "nand.t_read",
                60_000.0,
                "ns|imported|drive.cfg:18 pal.LSBRead, drive.cfg:20 pal.MSBRead: their mean, in picoseconds there",
            ),
            ("nand.t_program", 600_000.0, "pal.MSBWrite"),
            ("nand.channel_rate", 200.0, "pal.DMASpeed"),
            // A superblock has a block of every channel.
            ("map.stripe_dies", 4.0, "drive.cfg:27 pal.SuperblockSize"),
            (
                "spare.user_capacity",
                256.0 * 0.75 * 4.0 * 64.0 * 8192.0,
                "OverProvisioningRatio",
            ),
            ("gc.choices", 5.0, "ftl.DChoiceParam"),
            ("gc.batch", 1.0, "ftl.GCReclaimBlocks"),
            ("buffer.size", 2_097_152.0, "icl.CacheSize"),
            ("link.rate", 1000.0, "nvme.PCIEGeneration"),
        ],
    );
    assert!(left(&imported, "icl.CacheColour").contains("unknown"));
    assert!(left(&imported, "dram.Channel").contains("without DRAM"));
    assert_eq!(
        imported.jobs[0].text.split("randrepeat=0\n").nth(1),
        Some("rw=randwrite\nbs=8192\nio_size=1048576\niodepth=4\nrandseed=5\n")
    );
}

#[test]
fn femus_properties_become_a_drive() {
    let imported = femu(&text("arguments", FEMU)).unwrap();
    has(
        &imported,
        &[
            (
                "nand.page",
                8192.0,
                "B|imported|arguments:1 secs_per_pg, arguments:1 secsz",
            ),
            ("nand.t_read", 40_000.0, "ns|imported|arguments:1 pg_rd_lat"),
            ("nand.channel_rate", 409.6, "a page in this time"),
            ("map.stripe_dies", 8.0, "a line"),
            (
                "spare.user_capacity",
                400.0,
                "MiB|imported|arguments:1 devsz_mb",
            ),
            ("gc.reserve", 3.0, "gc_thres_pcent_high"),
            ("gc.choices", 4.0, "1|assumed|FEMU draws four"),
            ("queue.depth", 2047.0, "assumed|FEMU's default of entries"),
        ],
    );
    assert!(left(&imported, "colour").contains("unknown"));
    // The list alone, without QEMU's words.
    let alone = femu(&text("arguments", "femu_mode=1,op_pcent=25,nchs=2")).unwrap();
    has(
        &alone,
        &[(
            "spare.user_capacity",
            (2_u64 << 31) as f64 / 1.25,
            "op_pcent",
        )],
    );
}

#[test]
fn nvmevirts_header_becomes_a_drive_of_the_capacity_asked_for() {
    let imported = of_header(HEADER, Some("SMALL")).unwrap();
    has(
        &imported,
        &[
            (
                "nand.page",
                32_768.0,
                "B|imported|header.h:28 ONESHOT_PAGE_SIZE",
            ),
            // 1 GiB in 1,024 blocks: 1 MiB each.
            ("nand.pages_per_block", 32.0, "--capacity"),
            (
                "nand.t_read",
                36_000.0,
                "header.h:35 NAND_READ_LATENCY_LSB, header.h:36 NAND_READ_LATENCY_MSB",
            ),
            ("nand.channel_rate", 800.0, "MiB/s|imported|"),
            ("map.stripe_dies", 4.0, "SSD_PARTITIONS"),
            (
                "spare.user_capacity",
                (f64::from(1_u32 << 30) / 1.07).floor(),
                "OP_AREA_PERCENT",
            ),
            ("buffer.size", 524_288.0, "header.h:47 GLOBAL_WB_SIZE"),
            ("firmware.write_pipeline", 4500.0, "their sum"),
        ],
    );
    let known = |base| of_header(HEADER, base).unwrap_err();
    assert!(known(None).contains("choose one with --base-ssd: SMALL, ZONED"));
    assert!(known(Some("BIG")).contains("no BASE_SSD is called `BIG`"));
    assert!(known(Some("ZONED")).contains("only SSD_TYPE_CONV"));
}

#[test]
fn what_cannot_be_read_is_told_with_its_line_and_what_to_do() {
    let mqsim_told = |from: &str, to: &str| of_mqsim(&DEVICE.replace(from, to)).unwrap_err();
    for (from, to, words) in [
        (
            "</Seed>",
            "",
            "device.xml, line 57: it is not well-formed XML",
        ),
        (
            "<Execution_Parameter_Set>",
            "<Execution_Parameter_Set x=>",
            "device.xml, line 3: it is not well-formed XML",
        ),
        ("Execution_Parameter_Set>", "Other>", "its root is <Other>"),
        (
            ">8192<",
            ">8 KiB<",
            "device.xml, line 53: Page_Capacity is `8 KiB`; give a number",
        ),
        (
            "Page_Capacity>8192",
            "Page_Capacity>0",
            "line 53: Page_Capacity is 0; give a whole number from 1",
        ),
        ("RGA", "BEST", "line 26: `BEST` is none of: GREEDY, RGA"),
        ("PAGE_LEVEL", "HYBRID", "only PAGE_LEVEL"),
        (
            ">0.125<",
            ">1.5<",
            "line 24: Overprovisioning_Ratio is 1 or more",
        ),
        (">200<", ">nan<", "line 33: Channel_Transfer_Rate is `nan`"),
    ] {
        let told = mqsim_told(from, to);
        assert!(told.contains(words), "{from}: {told}");
    }
    let load = |from: &str, to: &str| {
        let changed = LOAD.replace(from, to);
        let told = mqsim(
            &text("device.xml", DEVICE),
            Some(&text("load.xml", &changed)),
        );
        told.unwrap_err().to_string()
    };
    assert!(
        load("RANDOM_HOTCOLD", "ANY").contains("load.xml, line 13: `ANY` is none of: STREAMING")
    );
    assert!(
        load(
            "<Total_Requests_To_Generate>50",
            "<Total_Requests_To_Generate>0"
        )
        .contains("has no requests")
    );
    assert!(load("<Bandwidth>8388608", "<Bandwidth>5").contains("less than a request"));

    let cfg = |from: &str, to: &str| {
        simplessd(&text("drive.cfg", &CFG.replace(from, to)), None)
            .unwrap_err()
            .to_string()
    };
    assert!(cfg("[nvme]", "x = 1").contains("drive.cfg, line 3: x stands before any [section]"));
    assert!(cfg("Erase = 3000000000", "Erase").contains("drive.cfg, line 24: `Erase` is neither"));
    assert!(cfg("Erase = 3000000000", "").contains("pal.Erase is missing; add it"));
    assert!(cfg("MappingMode = 0", "MappingMode = 1").contains("only 0, page mapping"));
    assert!(
        simplessd(&text("x.cfg", "<simplessd/>"), None)
            .unwrap_err()
            .to_string()
            .contains("this is XML")
    );
    assert!(
        simplessd(&text("x.cfg", ""), None)
            .unwrap_err()
            .to_string()
            .contains("neither [pal]")
    );

    let told = |arguments: &str| femu(&text("arguments", arguments)).unwrap_err().to_string();
    assert!(told("-m 4G -nographic").contains("there is no `-device femu"));
    assert!(told("femu,femu_mode=3").contains("femu_mode is 3; only 1"));
    assert!(
        told("femu,femu_mode=1,nchs=$N")
            .contains("`nchs=$N` is of a variable that nothing here sets")
    );
    assert!(told("femu,femu_mode=1,nchs").contains("`nchs` is no key=value"));
    assert!(told("femu,femu_mode=1,mapping=fast").contains("only page and dftl"));

    let header =
        |from: &str, to: &str| of_header(&HEADER.replace(from, to), Some("SMALL")).unwrap_err();
    assert!(header("#define NAND_CHANNELS (4)", "").contains("NAND_CHANNELS is missing"));
    assert!(header("(185000)", "(185000").contains("header.h, line 38: a bracket is not closed"));
    assert!(header("(185000)", "(1 / 0)").contains("divides by 0"));
    assert!(header("(185000)", "NAND_PROG_LATENCY").contains("in a circle"));
    assert!(header("#define FW_WBUF_LATENCY1 (500)", "").contains("FW_WBUF_LATENCY1 is missing"));
    let open = HEADER.rsplit_once("#endif").unwrap().0;
    assert!(
        of_header(open, Some("SMALL"))
            .unwrap_err()
            .contains("this #if has no #endif")
    );
    let deep = format!("{}{}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(header("(185000)", &deep).contains("too deep"));
}

#[test]
fn a_script_that_starts_qemu_is_read_with_what_its_variables_stand_for() {
    let imported = femu(&text("run.sh", SCRIPT)).unwrap();
    has(
        &imported,
        &[
            ("nand.channels", 4.0, "run.sh:1 nchs"),
            ("nand.dies_per_channel", 2.0, "luns_per_ch"),
            ("nand.pages_per_block", 64.0, "pgs_per_blk"),
            ("nand.t_read", 40_000.0, "pg_rd_lat"),
            ("spare.user_capacity", 400.0, "devsz_mb"),
        ],
    );
    let one = SCRIPT.replace("femu_mode=1", "femu_mode=2");
    let error = femu(&text("run.sh", &one)).unwrap_err().to_string();
    assert!(
        error.contains("run.sh") && error.contains("femu_mode is 2"),
        "{error}"
    );
    let older = "-device nvme,femu_mode=1,nchs=2 -device nvme,drive=id1";
    assert!(femu(&text("arguments", older)).is_ok());
}

#[test]
fn the_run_and_the_drive_of_simplessd_may_be_two_files() {
    let (drive, run) = CFG.split_once("[generator]").unwrap();
    let run = format!("[global]\nMode = 0\n[generator]{run}");
    let whole = simplessd(&text("drive.cfg", CFG), None).unwrap();
    for both in [
        [("drive.cfg", drive), ("run.cfg", &run)],
        [("run.cfg", &run), ("drive.cfg", drive)],
    ] {
        let [first, second] = both.map(|(name, of)| text(name, of));
        let imported = simplessd(&first, Some(&second)).unwrap();
        let of_drive = |imported: &Imported| {
            let (numbers, _) = imported
                .drive
                .split_once("# Without a counterpart")
                .unwrap();
            numbers.to_owned()
        };
        assert_eq!(of_drive(&imported), of_drive(&whole));
        assert_eq!(imported.jobs.len(), 1);
        let of_job = |imported: &Imported| {
            let lines = imported.jobs[0]
                .text
                .lines()
                .filter(|line| !line.starts_with('#'));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(of_job(&imported), of_job(&whole));
        assert!(left(&imported, "global.Mode").starts_with("run.cfg:2"));
    }
    let alone = simplessd(&text("run.cfg", &run), None)
        .unwrap_err()
        .to_string();
    assert!(
        alone.contains("run.cfg: ") && alone.contains("Give the drive's file behind it"),
        "{alone}"
    );
}

#[test]
fn a_header_has_shifts_remainders_and_lines_that_no_drive_needs() {
    let more = "#define LBA_BITS (9)\n#define LBA_SIZE (1 << LBA_BITS)\n#define HEX (0x10ULL % 7)\n\
                #define CORE smp_processor_id()\n#if 0\n#if defined(X) && (Y > 3)\n#endif\n#endif\n#endif\n";
    let (before, after) = HEADER.rsplit_once("#endif\n").unwrap();
    let header = format!("{before}{more}{after}");
    let imported = of_header(&header, Some("SMALL")).unwrap();
    let plain = of_header(HEADER, Some("SMALL")).unwrap();
    let numbers = |imported: &Imported| {
        imported
            .taken
            .iter()
            .map(|row| row.value.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(numbers(&imported), numbers(&plain));
    assert!(!left(&imported, "LBA_SIZE").is_empty() && !left(&imported, "CORE").is_empty());
    // What the drive does need is worked out the same way, or said why not.
    let page = |text: &str| {
        let old = HEADER
            .lines()
            .find(|line| line.contains("define NAND_CHANNELS"))
            .unwrap();
        of_header(
            &header.replace(old, &format!("#define NAND_CHANNELS {text}")),
            Some("SMALL"),
        )
    };
    for (text, channels) in [
        ("(1 << 2)", 4.0),
        ("(0x40 >> 4 | 0)", 0.0),
        ("(11 % 4 + -(-1))", 4.0),
        ("(64UL >> 4)", 4.0),
    ] {
        match channels {
            0.0 => assert!(page(text).is_err()),
            channels => has(&page(text).unwrap(), &[("nand.channels", channels, "")]),
        }
    }
    assert!(page("(1 << 99)").unwrap_err().contains("no number of bits"));
    assert!(page("CORE").unwrap_err().contains("smp_processor_id"));
}

#[test]
fn a_trace_of_mqsims_wraps_where_the_drive_ends() {
    let flow = "<MQSim_IO_Scenarios><IO_Scenario><IO_Flow_Parameter_Set_Trace_Based><File_Path>t.trace</File_Path>\
                </IO_Flow_Parameter_Set_Trace_Based></IO_Scenario></MQSim_IO_Scenarios>";
    let wraps = |load: &str| {
        let imported = mqsim(&text("device.xml", DEVICE), Some(&text("load.xml", load))).unwrap();
        imported
            .jobs
            .iter()
            .map(|job| job.wraps)
            .collect::<Vec<_>>()
    };
    assert_eq!(wraps(flow), [true]);
    assert!(wraps(LOAD).contains(&false), "{:?}", wraps(LOAD));
}
