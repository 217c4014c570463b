//! MQSim's device configuration as a drive file.

use super::{controller, document, settings};
use crate::draft::{Draft, Sure};
use crate::settings::{Known, Settings};
use crate::{ImportError, Text};

/// Keys that a drive file has nothing for.
const LEFT: &[(&str, &str)] = &[
    (
        "Enable_ResponseTime_Logging",
        "about output; `ftlab run --help` lists what a run can write",
    ),
    (
        "ResponseTime_Logging_Period_Length",
        "about output; `ftlab run --help` lists what a run can write",
    ),
    ("Seed", "the seed of a run is an option: --seed"),
    (
        "Enabled_Preconditioning",
        "what a drive holds before a run is an option: --state",
    ),
    ("Data_Cache_Sharing_Mode", "the write buffer is one for all"),
    (
        "Data_Cache_DRAM_Row_Size",
        "DRAM is a rate here, without rows",
    ),
    ("Data_Cache_DRAM_tRCD", "DRAM is a rate here, without rows"),
    ("Data_Cache_DRAM_tCL", "DRAM is a rate here, without rows"),
    ("Data_Cache_DRAM_tRP", "DRAM is a rate here, without rows"),
    (
        "CMT_Sharing_Mode",
        "the memory of the mapping table is one for all",
    ),
    (
        "Plane_Allocation_Scheme",
        "a write goes to the next die whose turn it is, wherever its address lies",
    ),
    (
        "GC_Hard_Threshold",
        "host operations pass collection up to scheduling.overtake_max times",
    ),
    (
        "Preferred_suspend_erase_time_for_read",
        "an operation is suspended at once, up to scheduling.suspend_max times",
    ),
    (
        "Preferred_suspend_erase_time_for_write",
        "writes suspend nothing",
    ),
    (
        "Preferred_suspend_write_time_for_read",
        "an operation is suspended at once, up to scheduling.suspend_max times",
    ),
    (
        "Block_PE_Cycles_Limit",
        "MQSim wears no block out; a [reliability] section would, from more numbers than this one",
    ),
    ("Caching_Mechanism", "there is one kind of write buffer"),
];

/// The drive of `config`.
pub fn draft(config: &Text<'_>) -> Result<Draft, ImportError> {
    let document = document(config, "Execution_Parameter_Set")?;
    let sections = [
        "Host_Parameter_Set",
        "Device_Parameter_Set",
        "Flash_Parameter_Set",
    ];
    let mut said = settings(config, document.root_element(), &sections);
    let said = &mut said;
    let mut draft = Draft::new(super::PROGRAM, config.name);

    let kind = said.word("Memory_Type", "FLASH");
    if kind.value != "FLASH" {
        return Err(kind.unknown("FLASH"));
    }
    let mapping = said.word("Address_Mapping", "PAGE_LEVEL");
    if mapping.value != "PAGE_LEVEL" {
        return Err(mapping
            .refused("only PAGE_LEVEL is taken over; MQSim's hybrid mapping is of its own kind"));
    }

    let array = nand(said, &mut draft)?;
    map(said, &mut draft, &array)?;
    spare(said, &mut draft, &array)?;
    gc(said, &mut draft, &array)?;
    wear(said, &mut draft)?;
    controller::buffer(said, &mut draft, &array)?;
    controller::scheduling(said, &mut draft, array.planes)?;
    controller::host(said, &mut draft)?;
    said.leave(LEFT, &mut draft.left);
    std::mem::replace(said, Settings::new(config, super::PROGRAM)).rest(&mut draft.left);
    Ok(draft)
}

/// What other sections need of the array.
pub struct Array {
    pub page_bytes: Known,
    pages: Known,
    blocks_per_plane: Known,
    pub planes: f64,
}

fn nand(said: &mut Settings, draft: &mut Draft) -> Result<Array, ImportError> {
    let channels = said.count("Flash_Channel_Count", 8)?;
    let chips = said.count("Chip_No_Per_Channel", 4)?;
    let dies = said.count("Die_No_Per_Chip", 2)?;
    let planes = said.count("Plane_No_Per_Die", 2)?;
    let blocks = said.count("Block_No_Per_Plane", 2048)?;
    let pages = said.count("Page_No_Per_Block", 256)?;
    let page_bytes = said.count("Page_Capacity", 8192)?;
    let cells = said.word("Flash_Technology", "MLC");
    let kinds: &[&str] = match cells.value.as_str() {
        "SLC" => &["LSB"],
        "MLC" => &["LSB", "MSB"],
        "TLC" => &["LSB", "CSB", "MSB"],
        _ => return Err(cells.unknown("SLC, MLC, TLC")),
    };
    let dies_per_channel = chips.times(&dies);
    let blocks_per_die = blocks.clone().times(&planes);

    draft.number("nand.channels", &channels, "1", Sure::High, "");
    draft.number(
        "nand.dies_per_channel",
        &dies_per_channel,
        "1",
        Sure::High,
        "their product",
    );
    draft.number("nand.planes_per_die", &planes, "1", Sure::High, "");
    draft.number(
        "nand.blocks_per_die",
        &blocks_per_die,
        "1",
        Sure::High,
        "their product",
    );
    draft.number("nand.pages_per_block", &pages, "1", Sure::High, "");
    draft.number("nand.page", &page_bytes, "B", Sure::High, "");
    let spare = said.count("Page_Metadat_Capacity", 8192)?;
    draft.number(
        "nand.page_spare",
        &spare,
        "B",
        Sure::Medium,
        "here it crosses the channel with the page, in MQSim it does not",
    );
    times(
        said,
        draft,
        ("nand.t_read", "Page_Read_Latency"),
        kinds,
        75_000.0,
    )?;
    times(
        said,
        draft,
        ("nand.t_program", "Page_Program_Latency"),
        kinds,
        750_000.0,
    )?;
    let erase = said.number("Block_Erase_Latency", 0.0)?;
    draft.number("nand.t_erase", &erase, "ns", Sure::High, "");
    let width = said.count("Flash_Channel_Width", 1)?;
    let rate = said.count("Channel_Transfer_Rate", 300)?.times(&width);
    draft.number(
        "nand.channel_rate",
        &rate,
        "MB/s",
        Sure::High,
        "transfers of the channel's width",
    );
    let protocol = said.word("Flash_Comm_Protocol", "NVDDR2");
    if protocol.value != "NVDDR2" {
        return Err(protocol.unknown("NVDDR2"));
    }
    draft.assumed(
        "nand.channel_command",
        0.3,
        "us",
        "MQSim's cycles of NV-DDR2: 0.29 us for a read, 0.36 us for a program",
    );

    let all_pages = channels
        .times(&dies_per_channel)
        .times(&blocks_per_die)
        .times(&pages);
    Ok(Array {
        page_bytes,
        pages: all_pages,
        blocks_per_plane: blocks,
        planes: planes.value,
    })
}

/// The time of a page: its mean over the kinds of pages that cells of this technology have.
fn times(
    said: &mut Settings,
    draft: &mut Draft,
    (key, theirs): (&str, &str),
    kinds: &[&str],
    default: f64,
) -> Result<(), ImportError> {
    let mut all = Vec::new();
    for kind in ["LSB", "CSB", "MSB"] {
        let name = format!("{theirs}_{kind}");
        if kinds.contains(&kind) {
            all.push(said.number(&name, default)?);
        } else {
            said.leave(
                &[(&name, "cells of this technology have no such page")],
                &mut draft.left,
            );
        }
    }
    let is_same = all.iter().all(|time| time.value == all[0].value);
    let (sure, how) = match (all.len(), is_same) {
        (1, _) => (Sure::High, ""),
        (_, true) => (Sure::High, "the same for all pages"),
        (_, false) => (
            Sure::Medium,
            "their mean: pages of a block have one time here",
        ),
    };
    draft.number(key, &Known::mean(&all), "ns", sure, how);
    Ok(())
}

fn map(said: &mut Settings, draft: &mut Draft, array: &Array) -> Result<(), ImportError> {
    draft.fixed("map.scheme", "page", "Address_Mapping PAGE_LEVEL");
    draft.number(
        "map.slot",
        &array.page_bytes,
        "B",
        Sure::High,
        "MQSim maps pages",
    );
    draft.assumed(
        "map.stripe_dies",
        1.0,
        "1",
        "MQSim collects each plane by itself; a superblock has a block of each plane of a die",
    );
    let (is_ideal, word) = said.flag("Ideal_Mapping_Table", false)?;
    let memory = said.count("CMT_Capacity", 2 << 20)?;
    if is_ideal {
        draft.remarks.push(format!(
            "{}: the whole table is in memory, whatever CMT_Capacity says",
            word.from
        ));
        return Ok(());
    }
    draft.number("map.dram", &memory, "B", Sure::High, "");
    // MQSim's own sum: a page number and a bit for each sector, rounded up to bytes; a cached one has the logical page beside.
    let sectors = array.page_bytes.value / 512.0;
    let entry = array
        .pages
        .clone()
        .map(|pages| ((pages.log2() + sectors) / 8.0).ceil());
    draft.number(
        "map.entry",
        &entry,
        "B",
        Sure::Medium,
        "as MQSim works it out; cached entries are 2 bytes larger here, in MQSim by a page number",
    );
    Ok(())
}

fn spare(said: &mut Settings, draft: &mut Draft, array: &Array) -> Result<(), ImportError> {
    let ratio = said.number("Overprovisioning_Ratio", 0.02)?;
    if ratio.value >= 1.0 {
        let why = "Overprovisioning_Ratio is 1 or more, which leaves nothing for data; give a part of the flash";
        return Err(ImportError::new(
            said.place_of("Overprovisioning_Ratio"),
            why,
        ));
    }
    let page = array.page_bytes.value;
    let user = ratio.with(&array.pages, |ratio, pages| {
        ((1.0 - ratio) * pages).floor() * page
    });
    let user = Known {
        from: user.from[..1].to_vec(),
        ..user
    };
    draft.number(
        "spare.user_capacity",
        &user,
        "B",
        Sure::High,
        "what is left of the flash without this part",
    );
    Ok(())
}

fn gc(said: &mut Settings, draft: &mut Draft, array: &Array) -> Result<(), ImportError> {
    let policy = said.word("GC_Block_Selection_Policy", "RGA");
    let ours = match policy.value.as_str() {
        "GREEDY" => "greedy",
        "RGA" => "d-choices",
        "RANDOM" => "random",
        "RANDOM_P" | "RANDOM_PP" => {
            draft.remarks.push(format!(
                "{}: taken as RANDOM; it draws again where a block has nothing to gain",
                policy.from
            ));
            "random"
        }
        "FIFO" => "fifo",
        _ => return Err(policy.unknown("GREEDY, RGA, RANDOM, RANDOM_P, RANDOM_PP, FIFO")),
    };
    draft.word("gc.policy", ours, &policy);
    let threshold = said.number("GC_Exec_Threshold", 0.05)?;
    let reserve = threshold.with(&array.blocks_per_plane, |share, blocks| {
        (share * blocks).floor().max(2.0)
    });
    let from = reserve.from[..1].to_vec();
    draft.number(
        "gc.reserve",
        &Known { from, ..reserve },
        "1",
        Sure::Medium,
        "this part of a plane's blocks, at least 2; a superblock has one of each plane of its die",
    );
    if ours == "d-choices" {
        let drawn = array
            .blocks_per_plane
            .clone()
            .map(|blocks| blocks.log2().floor().max(1.0));
        draft.number(
            "gc.choices",
            &drawn,
            "1",
            Sure::Medium,
            "as many as MQSim draws: the logarithm of a plane's blocks",
        );
    }
    let (copies_back, word) = said.flag("Use_Copyback_for_GC", false)?;
    if copies_back {
        draft.remarks.push(format!(
            "{}: collected pages cross the channel here; there is no copyback",
            word.from
        ));
    }
    Ok(())
}

fn wear(said: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let (is_dynamic, word) = said.flag("Dynamic_Wearleveling_Enabled", true)?;
    let allocation = if is_dynamic {
        "least-worn"
    } else {
        "oldest-free"
    };
    draft.word("wear.allocation", allocation, &word);
    let (is_static, word) = said.flag("Static_Wearleveling_Enabled", true)?;
    let spread = said.count("Static_Wearleveling_Threshold", 100)?;
    if is_static {
        draft.number("wear.spread", &spread, "1", Sure::High, "");
        draft.assumed(
            "wear.every_collections",
            100.0,
            "1",
            "MQSim has no such pause; with one, data move at most this often",
        );
    } else {
        draft
            .remarks
            .push(format!("{}: no static wear levelling", word.from));
    }
    Ok(())
}
