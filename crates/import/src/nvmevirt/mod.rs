//! NVMeVirt: the drives that its `ssd_config.h` describes.

mod header;

use crate::draft::{Draft, Sure};
use crate::settings::{Known, Settings};
use crate::{ImportError, Imported, Text};
use header::Header;

const PROGRAM: &str = "NVMeVirt";

/// What the header leaves to whoever builds and loads the module.
#[derive(Debug, Clone, Copy)]
pub struct Nvmevirt<'a> {
    /// `BASE_SSD`; it may be left out of a header that describes one drive.
    pub base: Option<&'a str>,
    /// Memory that the module is given, in bytes.
    pub capacity_bytes: u64,
}

/// Definitions that a drive file has nothing for.
const LEFT: &[(&str, &str)] = &[
    ("NR_NAMESPACES", "there is one namespace"),
    ("NS_SSD_TYPE_1", "there is one namespace"),
    ("NS_CAPACITY_1", "there is one namespace"),
    ("MDTS", "requests of any size are taken"),
    ("CONV_MDTS", "requests of any size are taken"),
    ("NVM_MDTS", "requests of any size are taken"),
    (
        "WRITE_UNIT_SIZE",
        "a part of a slot that is written reads the rest of it",
    ),
    (
        "MAX_CH_XFER_SIZE",
        "firmware.overlap has slots follow each other over the channel and the link",
    ),
    (
        "NAND_4KB_READ_LATENCY_LSB",
        "reading takes a page one time, however much of it is wanted",
    ),
    (
        "NAND_4KB_READ_LATENCY_MSB",
        "reading takes a page one time, however much of it is wanted",
    ),
    (
        "NAND_4KB_READ_LATENCY_CSB",
        "reading takes a page one time, however much of it is wanted",
    ),
    (
        "FW_4KB_READ_LATENCY",
        "firmware takes one time to read, however much it is",
    ),
    ("FW_CH_XFER_LATENCY", "the channel has a rate alone"),
    ("BLK_SIZE", "worked out of the capacity"),
    ("MAX_ZRWA_ZONES", "there are no zones"),
    ("ZRWAFG_SIZE", "there are no zones"),
    ("ZRWA_SIZE", "there are no zones"),
    ("ZRWA_BUFFER_SIZE", "there are no zones"),
    ("ZONE_SIZE", "there are no zones"),
    ("ZONE_WB_SIZE", "there are no zones"),
    ("DIES_PER_ZONE", "there are no zones"),
];

/// Names of numbers, which describe nothing.
const NAMES: &[&str] = &["SSD_TYPE_", "CELL_MODE_", "ALLOCATOR_TYPE_"];

/// The drive of `BASE_SSD` in an `ssd_config.h`.
///
/// # Errors
/// Where the header cannot be read, a number of the drive is missing, or the drive is of a kind that ftlab has not.
pub fn nvmevirt(file: &Text<'_>, asked: Nvmevirt<'_>) -> Result<Imported, ImportError> {
    let bases = header::bases(file.text);
    let base = match (asked.base, bases.as_slice()) {
        (Some(base), _) if bases.iter().any(|known| known == base) => base,
        (None, [only]) => only,
        (None, []) => "",
        (Some(base), []) => {
            let why =
                format!("it has no condition on BASE_SSD, so no `{base}`; leave out --base-ssd");
            return Err(ImportError::new(file.name, why));
        }
        (Some(base), _) => {
            let why = format!(
                "no BASE_SSD is called `{base}`; it has {}",
                bases.join(", ")
            );
            return Err(ImportError::new(file.name, why));
        }
        (None, _) => {
            let why = format!(
                "it describes several drives; choose one with --base-ssd: {}",
                bases.join(", ")
            );
            return Err(ImportError::new(file.name, why));
        }
    };
    let header = Header::of(file, base)?;
    let kind = header.text("NS_SSD_TYPE_0").unwrap_or("");
    if kind != "SSD_TYPE_CONV" {
        let why = format!(
            "the first namespace of `{base}` is `{kind}`; only SSD_TYPE_CONV, a drive with a translation layer, is taken over"
        );
        return Err(ImportError::new(file.name, why));
    }
    let mut said = Settings::new(file, PROGRAM);
    for (name, value, line) in header.definitions() {
        if name == base
            || bases.iter().any(|other| other == name)
            || NAMES.iter().any(|start| name.starts_with(start))
        {
            continue;
        }
        match value {
            Ok(value) => said.push(name, &value.to_string(), line),
            // Of no matter where nothing of the drive is worked out of it.
            Err(why) => said.push_wrong(name, header.text(name).unwrap_or(""), line, why),
        }
    }
    let mut draft = Draft::new(
        PROGRAM,
        &match base {
            "" => file.name.to_owned(),
            base => format!("{base} of {}", file.name),
        },
    );
    drive(&mut said, &mut draft, asked.capacity_bytes)?;
    said.leave(LEFT, &mut draft.left);
    said.leave(
        &[
            ("NS_SSD_TYPE_0", "a conventional drive"),
            (
                "NS_CAPACITY_0",
                "given when the module is loaded: --capacity",
            ),
        ],
        &mut draft.left,
    );
    said.rest(&mut draft.left);
    Ok(draft.finish(Vec::new()))
}

fn counted(said: &mut Settings, key: &str) -> Result<Known, ImportError> {
    let known = said.needed(key)?;
    said.whole(key, known)
}

fn drive(said: &mut Settings, draft: &mut Draft, capacity_bytes: u64) -> Result<(), ImportError> {
    let channels = counted(said, "NAND_CHANNELS")?;
    let dies_per_channel = counted(said, "LUNS_PER_NAND_CH")?;
    let planes = counted(said, "PLNS_PER_LUN")?;
    let blocks = said.needed("BLKS_PER_PLN")?.times(&planes);
    if blocks.value < 1.0 {
        return Err(ImportError::new(
            said.place_of("BLKS_PER_PLN"),
            "BLKS_PER_PLN is 0, as zones have it; give the blocks of a plane",
        ));
    }
    let page = counted(said, "ONESHOT_PAGE_SIZE")?;
    let read = counted(said, "FLASH_PAGE_SIZE")?;
    let dies = channels.clone().times(&dies_per_channel);
    let capacity = Known {
        value: capacity_bytes as f64,
        from: vec!["--capacity".to_owned()],
        is_default: false,
    };
    let pages = capacity.clone().with(&page, |capacity, page| {
        (capacity / (dies.value * blocks.value) / page).ceil()
    });
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
    draft.number(
        "nand.pages_per_block",
        &pages,
        "1",
        Sure::High,
        "what the capacity needs in blocks of that number, rounded up",
    );
    draft.number(
        "nand.page",
        &page,
        "B",
        Sure::High,
        "what is programmed at a time",
    );
    draft.assumed(
        "nand.page_spare",
        1.0,
        "B",
        "NVMeVirt has pages without spare bytes; the least",
    );
    if read.value < page.value {
        draft.remarks.push(format!(
            "FLASH_PAGE_SIZE {}: a read senses a page of {} bytes here, in the same time",
            read.value, page.value
        ));
    }
    times(said, draft)?;
    let rate = counted(said, "NAND_CHANNEL_BANDWIDTH")?;
    draft.number(
        "nand.channel_rate",
        &rate,
        "MiB/s",
        Sure::High,
        "its MB are of 2^20 bytes",
    );
    draft.assumed(
        "nand.channel_command",
        0.0,
        "us",
        "NVMeVirt takes no time for commands",
    );

    draft.fixed("map.scheme", "page", "NS_SSD_TYPE_0 SSD_TYPE_CONV");
    draft.assumed("map.slot", 4096.0, "B", "NVMeVirt maps 4 KiB");
    let parts = counted(said, "SSD_PARTITIONS")?;
    if (dies.value / parts.value).fract() != 0.0 {
        let why = format!(
            "{} dies cannot be shared out to {} partitions",
            dies.value, parts.value
        );
        return Err(ImportError::new(said.place_of("SSD_PARTITIONS"), why));
    }
    let stripe = dies.clone().with(&parts, |dies, parts| dies / parts);
    draft.number(
        "map.stripe_dies",
        &stripe,
        "1",
        Sure::High,
        "dies of a partition, whose blocks make a line",
    );
    let percent = said.needed("OP_AREA_PERCENT")?;
    let user = percent.with(&capacity, |share, capacity| {
        (capacity * 100.0 / ((1.0 + share) * 100.0).floor()).floor()
    });
    draft.number(
        "spare.user_capacity",
        &user,
        "B",
        Sure::High,
        "the capacity over 1 and this share, in whole percent",
    );
    draft.fixed(
        "gc.policy",
        "greedy",
        "NVMeVirt takes the line with the fewest valid pages",
    );
    draft.assumed(
        "gc.reserve",
        2.0,
        "1",
        "NVMeVirt collects when two lines are left",
    );
    controller(said, draft)
}

fn times(said: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let mode = said.needed("CELL_MODE")?;
    let kinds: &[&str] = match mode.value {
        1.0 => &["LSB"],
        2.0 => &["LSB", "MSB"],
        3.0 | 4.0 => &["LSB", "MSB", "CSB"],
        _ => {
            let why =
                "the drive has no cells of a known kind; only SLC, MLC, TLC and QLC are taken over";
            return Err(ImportError::new(said.place_of("CELL_MODE"), why));
        }
    };
    let mut all = Vec::new();
    for kind in ["LSB", "MSB", "CSB"] {
        let key = format!("NAND_READ_LATENCY_{kind}");
        if kinds.contains(&kind) {
            all.push(said.needed(&key)?);
        } else {
            said.leave(
                &[(&key, "cells of this kind have no such page")],
                &mut draft.left,
            );
        }
    }
    draft.number(
        "nand.t_read",
        &Known::mean(&all),
        "ns",
        Sure::Medium,
        "their mean: pages of a block have one time here",
    );
    let program = said.needed("NAND_PROG_LATENCY")?;
    draft.number("nand.t_program", &program, "ns", Sure::High, "");
    let erase = said.needed("NAND_ERASE_LATENCY")?;
    draft.number("nand.t_erase", &erase, "ns", Sure::High, "");
    Ok(())
}

fn controller(said: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let size = counted(said, "GLOBAL_WB_SIZE")?;
    draft.number("buffer.size", &size, "B", Sure::High, "");
    let early = said.needed("WRITE_EARLY_COMPLETION")?;
    if early.value == 0.0 {
        draft.remarks.push("WRITE_EARLY_COMPLETION 0: a write is answered from the buffer here, in NVMeVirt when it is programmed".to_owned());
    }
    let why = "NVMeVirt's firmware adds to latencies and takes nothing from rates";
    draft.assumed("firmware.write_command", 0.0, "us", why);
    draft.assumed("firmware.read_command", 0.0, "us", why);
    draft.assumed("firmware.per_slot", 0.0, "us", why);
    let read = said.needed("FW_READ_LATENCY")?;
    draft.number("firmware.read_pipeline", &read, "ns", Sure::High, "");
    let first = said.needed("FW_WBUF_LATENCY0")?;
    let each = said.needed("FW_WBUF_LATENCY1")?;
    let write = first.with(&each, |first, each| first + each);
    draft.number(
        "firmware.write_pipeline",
        &write,
        "ns",
        Sure::Medium,
        "their sum, for 4 KiB; NVMeVirt adds the second for every 4 KiB",
    );
    draft.assumed(
        "firmware.die_queue",
        32.0,
        "1",
        "NVMeVirt's queues have no end",
    );
    let rate = counted(said, "PCIE_BANDWIDTH")?;
    draft.number(
        "link.rate",
        &rate,
        "MiB/s",
        Sure::High,
        "its MB are of 2^20 bytes",
    );
    draft.assumed(
        "link.command",
        0.0,
        "us",
        "NVMeVirt takes no time for commands",
    );
    draft.assumed(
        "queue.depth",
        1024.0,
        "1",
        "NVMeVirt's queues are the host's",
    );
    Ok(())
}
