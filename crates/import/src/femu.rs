//! FEMU: the properties of its device on QEMU's command line (`-device femu,…`), which may stand in a shell script.

use crate::draft::{Draft, Sure};
use crate::settings::{Known, Settings};
use crate::shell::expanded;
use crate::{ImportError, Imported, Text};

const PROGRAM: &str = "FEMU";

/// Properties that a drive file has nothing for.
const LEFT: &[(&str, &str)] = &[
    ("id", "a name of QEMU's"),
    ("serial", "a name of QEMU's"),
    ("namespaces", "there is one namespace"),
    ("namespace_sizes", "there is one namespace"),
    ("namespace_modes", "there is one namespace"),
    ("subsys", "there is no subsystem of NVMe"),
    ("queues", "there is one queue"),
    ("multipoller_enabled", "about the emulator's threads"),
    ("poller_ratio", "about the emulator's threads"),
    ("mdts", "requests of any size are taken"),
    (
        "vwc",
        "see [power_loss]: what is not flushed is lost without capacitors",
    ),
    (
        "gc_thres_pcent",
        "collection in idle time needs gc.ahead and gc.idle_after, which are other numbers",
    ),
    ("gc_seed", "the seed of a run is an option: --seed"),
    ("read_cache_mb", "there is no read cache"),
    ("cache_evict", "there is no read cache"),
    (
        "hot_cold_sep",
        "gc.streams tells hot data from cold ones, by rules of its own",
    ),
    (
        "buffer_thres_pcent",
        "the write buffer is written as soon as a die is free",
    ),
    (
        "pcie_prop_delay_ns",
        "there is no delay of the link beside its rate and link.command",
    ),
    (
        "nand_bad_blocks",
        "[reliability] takes a share, with other numbers",
    ),
    (
        "pe_cycles_rated",
        "[reliability] needs more numbers than this one",
    ),
    ("ecc_step_ns", "[ecc] has a model of its own"),
    ("ecc_retention_sec", "[ecc] has a model of its own"),
    ("read_reclaim_limit", "there is no refresh of old data"),
    ("retention_limit_sec", "there is no refresh of old data"),
    ("err_read_unc_ppm", "`ftlab fault` has faults of requests"),
    ("err_write_fail_ppm", "`ftlab fault` has faults of requests"),
    ("tplpbsy", "planes program together in the time of one"),
    ("tplrbsy", "planes read together in the time of one"),
    ("tplebsy", "planes erase one after the other"),
    ("pgtype_lat", "pages of a block have one time here"),
    ("cell_pages", "pages of a block have one time here"),
];

/// The drive of `-device femu,KEY=VALUE,…`, with QEMU's other words around it or without, or in a script that starts QEMU.
///
/// # Errors
/// Where there is no such device, a property cannot be read, or the drive is of a kind that ftlab has not.
pub fn femu(file: &Text<'_>) -> Result<Imported, ImportError> {
    let mut said = read(file)?;
    let mut draft = Draft::new(PROGRAM, file.name);
    let mode = said.number("femu_mode", 2.0)?;
    if mode.value != 1.0 {
        let why = format!(
            "femu_mode is {}; only 1, the black-box SSD, has a translation layer of its own and is taken over",
            mode.value
        );
        return Err(ImportError::new(said.place_of("femu_mode"), why));
    }
    drive(&mut said, &mut draft)?;
    said.leave(LEFT, &mut draft.left);
    said.rest(&mut draft.left);
    Ok(draft.finish(Vec::new()))
}

/// The properties: of the device `femu` where other words stand around it.
fn read(file: &Text<'_>) -> Result<Settings, ImportError> {
    let mut said = Settings::new(file, PROGRAM);
    // One word alone is the list of properties, whatever a shell would make of it.
    let is_list = file.text.split_whitespace().count() == 1;
    let text = match is_list {
        true => file.text.to_owned(),
        false => expanded(file.text),
    };
    let mut words = text.split_whitespace();
    // Older versions have their properties at the device nvme.
    let is_device = |word: &&str| {
        word.starts_with("femu,")
            || *word == "femu"
            || (word.starts_with("nvme,") && word.contains("femu_mode="))
    };
    let mut list = words.clone().find(is_device);
    if list.is_none() && words.clone().count() == 1 {
        list = words.next().filter(|word| word.contains('='));
    }
    let Some(list) = list else {
        let why = "there is no `-device femu,…` in it; give that, the script with it, or its properties as key=value,key=value";
        return Err(ImportError::new(file.name, why));
    };
    for pair in list
        .split(',')
        .filter(|pair| !["femu", "nvme"].contains(pair) && !pair.is_empty())
    {
        if pair.contains('$') {
            let why = format!(
                "`{pair}` is of a variable that nothing here sets, or of a command; write its value there"
            );
            return Err(ImportError::new(file.name, why));
        }
        let Some((key, value)) = pair.split_once('=') else {
            return Err(ImportError::new(
                file.name,
                format!("`{pair}` is no key=value"),
            ));
        };
        said.push(key.trim(), value, 1);
    }
    Ok(said)
}

fn drive(said: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let mapping = said.word("mapping", "PAGE");
    if !["PAGE", "DFTL"].contains(&mapping.value.as_str()) {
        return Err(
            mapping.refused("only page and dftl are taken over; log-block mappings are FEMU's own")
        );
    }
    let cells = said.number("nand_cell_type", 0.0)?;
    if cells.value != 0.0 {
        let why = format!(
            "nand_cell_type is {}, whose times are built into FEMU; give pg_rd_lat, pg_wr_lat and blk_er_lat and leave it out",
            cells.value
        );
        return Err(ImportError::new(said.place_of("nand_cell_type"), why));
    }
    let sector = said.count("secsz", 512)?;
    let page_bytes = said.count("secs_per_pg", 8)?.times(&sector);
    let pages = said.count("pgs_per_blk", 256)?;
    let lines = said.count("blks_per_pl", 256)?;
    let planes = said.count("pls_per_lun", 1)?;
    let dies_per_channel = said.count("luns_per_ch", 8)?;
    let channels = said.count("nchs", 8)?;
    let blocks = lines.clone().times(&planes);
    draft.number("nand.channels", &channels, "1", Sure::High, "");
    draft.number(
        "nand.dies_per_channel",
        &dies_per_channel,
        "1",
        Sure::High,
        "",
    );
    draft.number("nand.planes_per_die", &planes, "1", Sure::High, "");
    draft.number(
        "nand.blocks_per_die",
        &blocks,
        "1",
        Sure::High,
        "their product",
    );
    draft.number("nand.pages_per_block", &pages, "1", Sure::High, "");
    draft.number("nand.page", &page_bytes, "B", Sure::High, "their product");
    draft.assumed(
        "nand.page_spare",
        1.0,
        "B",
        "FEMU has pages without spare bytes; the least",
    );
    for (key, theirs, default) in [
        ("nand.t_read", "pg_rd_lat", 40_000.0),
        ("nand.t_program", "pg_wr_lat", 200_000.0),
        ("nand.t_erase", "blk_er_lat", 2_000_000.0),
    ] {
        let time = said.number(theirs, default)?;
        draft.number(key, &time, "ns", Sure::High, "");
    }
    channel(said, draft, &page_bytes)?;

    draft.word("map.scheme", "page", &mapping);
    draft.number("map.slot", &page_bytes, "B", Sure::High, "FEMU maps pages");
    let dies = channels.clone().times(&dies_per_channel);
    draft.number(
        "map.stripe_dies",
        &dies,
        "1",
        Sure::High,
        "their product: a line has a block of every die; of every plane in FEMU",
    );
    let cache = said
        .number("mapping_cache_mb", 0.0)?
        .map(|mib| if mib == 0.0 { 4.0 } else { mib });
    if mapping.value == "DFTL" {
        draft.number("map.dram", &cache, "MiB", Sure::High, "0 means 4");
        draft.assumed(
            "map.entry",
            8.0,
            "B",
            "FEMU does not say what an entry takes on flash",
        );
    }

    let raw = dies.value * blocks.value * pages.value * page_bytes.value;
    let percent = said.number("op_pcent", 0.0)?;
    let size = said.count("devsz_mb", 1024)?;
    if percent.value > 0.0 {
        let user = percent.map(|percent| (raw / (1.0 + percent / 100.0)).floor());
        draft.number(
            "spare.user_capacity",
            &user,
            "B",
            Sure::High,
            "of the flash; devsz_mb says nothing beside it",
        );
    } else {
        draft.number("spare.user_capacity", &size, "MiB", Sure::High, "");
    }
    gc(said, draft, &lines)?;
    controller(said, draft, &page_bytes, dies.value)
}

fn channel(said: &mut Settings, draft: &mut Draft, page_bytes: &Known) -> Result<(), ImportError> {
    let of_page = said.number("pg_xfer_lat", 0.0)?;
    let also = said.number("ch_xfer_lat", 0.0)?;
    let time = if of_page.value > 0.0 { of_page } else { also };
    if time.value > 0.0 {
        let rate = time.map(|ns| page_bytes.value / ns * 1e3);
        draft.number(
            "nand.channel_rate",
            &rate,
            "MB/s",
            Sure::High,
            "a page in this time",
        );
    } else {
        draft.assumed(
            "nand.channel_rate",
            1e6,
            "MB/s",
            "FEMU takes no time for the channel: ch_xfer_lat and pg_xfer_lat are 0",
        );
    }
    let command = said.number("cmd_addr_lat", 0.0)?;
    let status = said.number("status_lat", 0.0)?;
    let command = command.with(&status, |a, b| a + b);
    draft.number(
        "nand.channel_command",
        &command,
        "ns",
        Sure::High,
        "their sum",
    );
    Ok(())
}

fn gc(said: &mut Settings, draft: &mut Draft, lines: &Known) -> Result<(), ImportError> {
    let policy = said.word("gc_policy", "GREEDY");
    let ours = match policy.value.as_str() {
        "GREEDY" => "greedy",
        "RANDOM" => "random",
        "COST-BENEFIT" => "cost-benefit",
        "FIFO" => "fifo",
        "D-CHOICE" => "d-choices",
        _ => return Err(policy.unknown("greedy, random, cost-benefit, fifo, d-choice")),
    };
    draft.word("gc.policy", ours, &policy);
    let high = said.number("gc_thres_pcent_high", 95.0)?;
    if high.value > 100.0 {
        let why = format!(
            "gc_thres_pcent_high is {}; give percent, up to 100",
            high.value
        );
        return Err(ImportError::new(said.place_of("gc_thres_pcent_high"), why));
    }
    let reserve = high.map(|percent| ((1.0 - percent / 100.0) * lines.value).floor().max(2.0));
    draft.number(
        "gc.reserve",
        &reserve,
        "1",
        Sure::Medium,
        "the lines that collection within writes keeps free, at least 2",
    );
    if ours == "d-choices" {
        draft.assumed("gc.choices", 4.0, "1", "FEMU draws four");
    }
    Ok(())
}

fn controller(
    said: &mut Settings,
    draft: &mut Draft,
    page_bytes: &Known,
    dies: f64,
) -> Result<(), ImportError> {
    let pages = said.number("buffer_size", 0.0)?;
    if pages.value >= 1.0 {
        let size = pages.times(page_bytes);
        draft.number("buffer.size", &size, "B", Sure::High, "in pages there");
    } else {
        draft.assumed(
            "buffer.size",
            page_bytes.value * dies * 2.0,
            "B",
            "FEMU has no write buffer: two pages of a line, so that every die can program",
        );
        draft.remarks.push("buffer_size 0: a write is answered from the buffer here, in FEMU when its page is programmed".to_owned());
    }
    let core = said.number("fw_cpu_ns", 0.0)?;
    draft.number("firmware.write_command", &core, "ns", Sure::High, "");
    draft.number("firmware.read_command", &core, "ns", Sure::High, "");
    draft.assumed(
        "firmware.per_slot",
        0.0,
        "us",
        "FEMU's time is that of a command",
    );
    let trim = said.number("trim_lat_ns", 0.0)?;
    draft.number(
        "firmware.trim_command",
        &trim,
        "ns",
        Sure::Medium,
        "of a range there, of a command here",
    );
    draft.assumed("firmware.die_queue", 32.0, "1", "FEMU's queues have no end");

    let suspends = said.number("pe_suspend", 0.0)?;
    let time = said.number("tsusp_ns", 0.0)?;
    if suspends.value > 0.0 {
        draft.fixed("scheduling.order", "read-first", "pe_suspend");
        draft.fixed("scheduling.suspend", "program-erase", "pe_suspend");
        draft.number("scheduling.suspend_time", &time, "ns", Sure::High, "");
        draft.assumed(
            "scheduling.resume_time",
            0.0,
            "us",
            "FEMU resumes in no time",
        );
        draft.assumed(
            "scheduling.suspend_max",
            16.0,
            "1",
            "FEMU has no such limit",
        );
        draft.assumed(
            "scheduling.overtake_max",
            64.0,
            "1",
            "FEMU has no such limit",
        );
    }
    for (key, theirs) in [
        ("scheduling.multi_plane", "mp_program"),
        ("scheduling.plane_reads", "mp_read"),
    ] {
        let (is_on, word) = said.flag(theirs, false)?;
        draft.flag(key, is_on, &word);
    }
    let rate = said.number("pcie_bandwidth_mbps", 0.0)?;
    if rate.value > 0.0 {
        draft.number("link.rate", &rate, "MB/s", Sure::High, "");
    } else {
        draft.assumed(
            "link.rate",
            1e6,
            "MB/s",
            "FEMU takes no time for the link: pcie_bandwidth_mbps is 0",
        );
    }
    draft.assumed("link.command", 0.0, "us", "FEMU takes no time for it");
    let depth = said.count("entries", 2047)?;
    draft.number(
        "queue.depth",
        &depth,
        "1",
        Sure::Medium,
        "entries of a queue",
    );
    Ok(())
}
