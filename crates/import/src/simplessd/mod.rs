//! SimpleSSD 2's configuration in sections of keys (`*.cfg`).

mod generator;

use crate::draft::{Draft, Job, Sure};
use crate::settings::{Known, Settings};
use crate::{ImportError, Imported, Text};

const PROGRAM: &str = "SimpleSSD";

/// Sections whose keys a drive file has nothing for.
const LEFT_SECTIONS: &[(&str, &str)] = &[
    (
        "cpu.",
        "firmware has times of commands here, and no processor",
    ),
    ("dram.", "the write buffer is a size here, without DRAM"),
    ("ufs.", "there is no UFS"),
    (
        "sata.",
        "the port is PCIe; change [link] and [queue] for SATA",
    ),
    ("trace.", "give the trace itself to `ftlab run`"),
    (
        "global.",
        "about the run and its output; see `ftlab run --help`",
    ),
];

/// Keys that a drive file has nothing for.
const LEFT: &[(&str, &str)] = &[
    (
        "pal.PageAllocation",
        "a write goes to the next die whose turn it is, wherever its address lies",
    ),
    (
        "ftl.EraseThreshold",
        "blocks last for ever without a [reliability] section, which needs more numbers than this one",
    ),
    (
        "ftl.FillingMode",
        "what a drive holds before a run is an option: --state",
    ),
    (
        "ftl.FillRatio",
        "what a drive holds before a run is an option: --state",
    ),
    (
        "ftl.InvalidPageRatio",
        "what a drive holds before a run is an option: --state",
    ),
    (
        "ftl.Warmup",
        "what a drive holds before a run is an option: --state",
    ),
    (
        "ftl.GCReclaimThreshold",
        "collection ends after gc.batch superblocks, or works in step with writes",
    ),
    (
        "ftl.EnableRandomIOTweak",
        "a part of a slot that is written reads the rest of it; pages of a superpage are slots of their own",
    ),
    ("icl.CacheWaySize", "the write buffer holds any slots"),
    ("icl.EvictPolicy", "the write buffer is written in order"),
    ("icl.EvictMode", "the write buffer is written in order"),
    (
        "icl.EnableReadCache",
        "the write buffer is no read cache; buffer.read_ahead reads ahead",
    ),
    (
        "icl.EnableReadPrefetch",
        "buffer.read_ahead would be a size, which SimpleSSD works out of counts",
    ),
    ("icl.ReadPrefetchCount", "there is no read-ahead"),
    ("icl.ReadPrefetchRatio", "there is no read-ahead"),
    ("icl.ReadPrefetchMode", "there is no read-ahead"),
    ("icl.CacheLatency", "firmware times are in [firmware]"),
    ("nvme.LBASize", "sectors have 512 bytes"),
    (
        "nvme.AXIBusWidth",
        "the link is all there is between host and buffer",
    ),
    (
        "nvme.AXIClock",
        "the link is all there is between host and buffer",
    ),
    (
        "nvme.FIFOTransferUnit",
        "the link is all there is between host and buffer",
    ),
    ("nvme.WorkInterval", "commands are taken as they come"),
    ("nvme.MaxRequestCount", "commands are taken as they come"),
    ("nvme.MaxIOCQueue", "there is one queue"),
    ("nvme.MaxIOSQueue", "there is one queue"),
    ("nvme.WRRHigh", "there is one queue"),
    ("nvme.WRRMedium", "there is one queue"),
    ("nvme.DefaultNamespace", "there is one namespace"),
    ("nvme.EnableDiskImage", "`ftlab serve --image` keeps data"),
    ("nvme.StrictSizeCheck", "`ftlab serve --image` keeps data"),
    ("nvme.DiskImageFile", "`ftlab serve --image` keeps data"),
    (
        "nvme.UseCopyOnWriteDisk",
        "`ftlab serve --image` keeps data",
    ),
];

/// The drive of a configuration. A file of SimpleSSD-Standalone with a `[generator]`, which may be the same file or another,
/// gives a job as well.
///
/// # Errors
/// Where a line is no setting, a value cannot be read, the drive is of a kind that ftlab has not, or no file has one.
pub fn simplessd(file: &Text<'_>, other: Option<&Text<'_>>) -> Result<Imported, ImportError> {
    let mut all = vec![(*file, read(file)?)];
    if let Some(other) = other {
        all.push((*other, read(other)?));
    }
    let holds = |section: &str| all.iter().position(|(_, said)| said.any(section));
    let (flash, load) = (holds("pal."), holds("generator."));
    let Some(flash) = flash else {
        let runs = load.is_some() || holds("global.").is_some();
        let why = match runs {
            true => {
                "it says how SimpleSSD-Standalone runs, and describes no drive: no file has a [pal]. Give the drive's file \
                 behind it, the second that simplessd-standalone is given, such as simplessd/config/sample.cfg"
            }
            false => {
                "it has neither [pal], which describes the flash, nor [generator]; give a .cfg of SimpleSSD 2"
            }
        };
        return Err(ImportError::new(file.name, why));
    };
    let mut draft = Draft::new(PROGRAM, all[flash].0.name);
    drive(&mut all[flash].1, &mut draft)?;
    let mut jobs = Vec::new();
    if let Some(load) = load {
        let (file, said) = &mut all[load];
        jobs.push(Job {
            suffix: String::new(),
            text: generator::job(said, file)?,
            wraps: false,
        });
    }
    for (_, mut said) in all {
        said.leave(LEFT, &mut draft.left);
        said.leave_all(LEFT_SECTIONS, &mut draft.left);
        said.rest(&mut draft.left);
    }
    Ok(draft.finish(jobs))
}

/// Keys with their sections before them: `pal.Channel`.
fn read(file: &Text<'_>) -> Result<Settings, ImportError> {
    let mut said = Settings::new(file, PROGRAM);
    let mut section = None;
    for (text, line) in file.text.lines().zip(1..) {
        let text = text.split('#').next().unwrap_or("").trim();
        if text.is_empty() {
            continue;
        }
        if text.starts_with('<') {
            let why = "this is XML; SimpleSSD 2.1 and later are not read. Give a .cfg of sections and keys, as SimpleSSD 2.0 has";
            return Err(ImportError::new(said.place(line), why));
        }
        if let Some(name) = text
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            section = Some(name.trim().to_owned());
            continue;
        }
        let Some((key, value)) = text.split_once('=') else {
            let why = format!("`{text}` is neither [section] nor key = value");
            return Err(ImportError::new(said.place(line), why));
        };
        let Some(section) = &section else {
            let why = format!("{} stands before any [section]", key.trim());
            return Err(ImportError::new(said.place(line), why));
        };
        said.push(&format!("{section}.{}", key.trim()), value, line);
    }
    Ok(said)
}

fn drive(said: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let mapping = said.number("ftl.MappingMode", 0.0)?;
    if mapping.value != 0.0 {
        let why = format!(
            "ftl.MappingMode is {}; only 0, page mapping, is taken over",
            mapping.value
        );
        return Err(ImportError::new(said.place_of("ftl.MappingMode"), why));
    }
    let channels = said.count("pal.Channel", 8)?;
    let packages = said.count("pal.Package", 4)?;
    let dies = said.count("pal.Die", 2)?;
    let planes = said.count("pal.Plane", 1)?;
    let blocks = said.count("pal.Block", 512)?;
    let pages = said.count("pal.Page", 512)?;
    let page_bytes = said.count("pal.PageSize", 16384)?;
    let dies_per_channel = packages.clone().times(&dies);
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
    draft.assumed(
        "nand.page_spare",
        1.0,
        "B",
        "SimpleSSD has pages without spare bytes; the least",
    );
    times(said, draft)?;

    let bits = said.count("pal.DMAWidth", 8)?;
    let rate = said
        .count("pal.DMASpeed", 400)?
        .times(&bits)
        .map(|mbit| mbit / 8.0);
    draft.number(
        "nand.channel_rate",
        &rate,
        "MB/s",
        Sure::High,
        "transfers of the width in bits",
    );
    draft.assumed(
        "nand.channel_command",
        0.0,
        "us",
        "SimpleSSD works its command cycles out of the speed; they are below a microsecond",
    );

    draft.fixed("map.scheme", "page", "ftl.MappingMode 0");
    draft.number(
        "map.slot",
        &page_bytes,
        "B",
        Sure::Medium,
        "a page; SimpleSSD maps superpages, page by page with EnableRandomIOTweak",
    );
    let (stripe, words) = superblock(said, [&channels, &packages, &dies])?;
    draft.number("map.stripe_dies", &stripe, "1", Sure::High, &words);

    let ratio = said.number("ftl.OverProvisioningRatio", 0.25)?;
    if ratio.value >= 1.0 {
        let why = "ftl.OverProvisioningRatio is 1 or more, which leaves nothing for data; give a part of the flash";
        return Err(ImportError::new(
            said.place_of("ftl.OverProvisioningRatio"),
            why,
        ));
    }
    let superblocks = channels.value * dies_per_channel.value * blocks_per_die.value / stripe.value;
    let superblock_bytes = stripe.value * pages.value * page_bytes.value;
    let user = ratio.map(|ratio| (superblocks * (1.0 - ratio)).floor() * superblock_bytes);
    draft.number(
        "spare.user_capacity",
        &user,
        "B",
        Sure::High,
        "whole superblocks of what is left of the flash without this part",
    );
    gc(said, draft, &blocks)?;
    buffer(said, draft, page_bytes.value * stripe.value * 2.0)?;
    let (is_multi, word) = said.flag("pal.EnableMultiPlaneOperation", true)?;
    draft.flag(
        "scheduling.multi_plane",
        is_multi && planes.value > 1.0,
        &word,
    );
    link(said, draft)
}

/// Page times, in picoseconds.
fn times(said: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let cells = said.number("pal.NANDType", 1.0)?;
    let kinds: &[&str] = match cells.value {
        0.0 => &["LSB"],
        1.0 => &["LSB", "MSB"],
        2.0 => &["LSB", "CSB", "MSB"],
        other => {
            let why = format!("pal.NANDType is {other}; 0 is SLC, 1 MLC, 2 TLC");
            return Err(ImportError::new(said.place_of("pal.NANDType"), why));
        }
    };
    for (key, theirs) in [("nand.t_read", "Read"), ("nand.t_program", "Write")] {
        let mut all = Vec::new();
        for kind in ["LSB", "CSB", "MSB"] {
            let name = format!("pal.{kind}{theirs}");
            if kinds.contains(&kind) {
                all.push(said.needed(&name)?.map(|ps| ps / 1e3));
            } else {
                said.leave(
                    &[(&name, "cells of this kind have no such page")],
                    &mut draft.left,
                );
            }
        }
        let (sure, how) = match all.len() {
            1 => (Sure::High, "in picoseconds there"),
            _ => (
                Sure::Medium,
                "their mean, in picoseconds there: pages of a block have one time here",
            ),
        };
        draft.number(key, &Known::mean(&all), "ns", sure, how);
    }
    let erase = said.needed("pal.Erase")?.map(|ps| ps / 1e3);
    draft.number(
        "nand.t_erase",
        &erase,
        "ns",
        Sure::High,
        "in picoseconds there",
    );
    Ok(())
}

/// Dies that a superblock spans: the letters of what it takes all of.
fn superblock(
    said: &mut Settings,
    [channels, packages, dies]: [&Known; 3],
) -> Result<(Known, String), ImportError> {
    // Both names were in use.
    let key = ["pal.SuperblockSize", "pal.Superblock"]
        .into_iter()
        .find(|key| said.has(key));
    let word = said.word(key.unwrap_or("pal.SuperblockSize"), "");
    let mut stripe = 1.0;
    for letter in word.value.chars() {
        stripe *= match letter {
            'C' => channels.value,
            'W' => packages.value,
            'D' => dies.value,
            'P' => 1.0,
            _ => return Err(word.unknown("C, W, D, P and several of them, as in CW")),
        };
    }
    let known = Known {
        value: stripe,
        from: vec![word.from],
        is_default: word.is_default,
    };
    Ok((
        known,
        format!(
            "dies of `{}`; planes of a die are in it as they are",
            word.value
        ),
    ))
}

fn gc(said: &mut Settings, draft: &mut Draft, superblocks: &Known) -> Result<(), ImportError> {
    let policy = said.word("ftl.EvictPolicy", "0");
    let ours = match policy.value.as_str() {
        "0" => "greedy",
        "1" => "cost-benefit",
        "2" => "random",
        "3" => "d-choices",
        _ => return Err(policy.unknown("0 (greedy), 1 (cost-benefit), 2 (random), 3 (d-choice)")),
    };
    draft.word("gc.policy", ours, &policy);
    let threshold = said.number("ftl.GCThreshold", 0.05)?;
    let reserve = threshold.map(|share| (share * superblocks.value).floor().max(2.0));
    draft.number(
        "gc.reserve",
        &reserve,
        "1",
        Sure::Medium,
        "this part of the superblocks, at least 2",
    );
    if ours == "d-choices" {
        let drawn = said.count("ftl.DChoiceParam", 3)?;
        draft.number("gc.choices", &drawn, "1", Sure::High, "");
    } else {
        said.leave(
            &[("ftl.DChoiceParam", "the policy draws nothing")],
            &mut draft.left,
        );
    }
    let mode = said.number("ftl.GCMode", 0.0)?;
    if mode.value == 0.0 {
        let batch = said.count("ftl.GCReclaimBlocks", 1)?;
        draft.number("gc.batch", &batch, "1", Sure::High, "");
    } else {
        said.leave(
            &[("ftl.GCReclaimBlocks", "GCMode says otherwise")],
            &mut draft.left,
        );
        draft.remarks.push("ftl.GCMode 1: superblocks are collected in step with writes, and not up to a threshold".to_owned());
    }
    Ok(())
}

fn buffer(said: &mut Settings, draft: &mut Draft, least: f64) -> Result<(), ImportError> {
    let size = said.number_if("icl.CacheSize")?;
    let (writes, word) = said.flag("icl.EnableWriteCache", true)?;
    if !writes {
        draft.assumed(
            "buffer.size",
            least,
            "B",
            "there is no write cache: two pages of a superblock, so that every die can program",
        );
        draft.remarks.push(format!(
            "{}: a write is answered from the buffer all the same",
            word.from
        ));
    } else if let Some(size) = size {
        draft.number(
            "buffer.size",
            &size,
            "B",
            Sure::Medium,
            "it holds what is to be written; nothing is read from it later",
        );
    } else {
        draft.assumed(
            "buffer.size",
            33_554_432.0,
            "B",
            "32 MiB: icl.CacheSize is missing, and not all versions have the same default",
        );
    }
    let why = "SimpleSSD counts instructions of a processor, [cpu]";
    draft.assumed("firmware.write_command", 0.0, "us", why);
    draft.assumed("firmware.read_command", 0.0, "us", why);
    draft.assumed("firmware.per_slot", 0.0, "us", why);
    draft.assumed(
        "firmware.die_queue",
        32.0,
        "1",
        "SimpleSSD's queues have no end",
    );
    Ok(())
}

/// Payload of a lane, MB/s: 2.5 and 5 GT/s in 8b/10b, 8 GT/s in 128b/130b.
const LANE_MB_S: [f64; 3] = [250.0, 500.0, 984.6];

fn link(said: &mut Settings, draft: &mut Draft) -> Result<(), ImportError> {
    let generation = said.number("nvme.PCIEGeneration", 2.0)?;
    let lanes = said.count("nvme.PCIELane", 4)?;
    let Some(lane) = LANE_MB_S
        .iter()
        .zip(0..)
        .find(|(_, n)| f64::from(*n) == generation.value)
    else {
        let why = format!(
            "nvme.PCIEGeneration is {}; 0, 1 and 2 are PCIe 1, 2 and 3",
            generation.value
        );
        return Err(ImportError::new(said.place_of("nvme.PCIEGeneration"), why));
    };
    let rate = generation.map(|_| *lane.0).times(&lanes);
    draft.number(
        "link.rate",
        &rate,
        "MB/s",
        Sure::Medium,
        "0, 1, 2 are PCIe 1, 2, 3; payload of a lane, times lanes",
    );
    draft.assumed(
        "link.command",
        0.0,
        "us",
        "SimpleSSD sends messages of NVMe as bytes over the link",
    );
    draft.assumed(
        "queue.depth",
        1024.0,
        "1",
        "SimpleSSD's queues are the host's",
    );
    Ok(())
}
