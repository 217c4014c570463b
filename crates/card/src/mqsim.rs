//! MQSim: a drive as its device (`ssdconfig.xml`), and a job file as its loads (`workload.xml`).
//!
//! What a key means stands in MQSim's source, <https://github.com/CMU-SAFARI/MQSim>, and so do the limits that are
//! checked here: of its types, and of what it does where a value lies outside of what its authors tried.

mod flash;
mod flows;

use crate::draft::{Draft, Dropped};
use crate::geometry::{Geometry, count, refuse_what_has_no_pages, table_in_memory};
use crate::numbers::Numbers;
use crate::reread::head;
use crate::{Asked, Card, CardError, Target, Way};
use ftlab_drive::DriveFile;

pub const TARGET: Target = Target {
    name: "mqsim",
    program: "MQSim",
    about: "ssdconfig.xml, and workload.xml where there is a load",
    way: Way::Drive { write, back: None },
};

/// Elements of the device's file.
const HOST: &str = "Host_Parameter_Set";
const DEVICE: &str = "Device_Parameter_Set";
const FLASH: &str = "Flash_Parameter_Set";

/// Free blocks of a plane below which writes to it wait, and collections of it that are under way at most.
const BLOCKS_HELD: u32 = 10;
/// Blocks of a plane that a flow takes: for its data, for what is collected of them, for its mapping table, and those that
/// these three go on to.
const BLOCKS_TAKEN: u32 = 5;
/// Bytes of a burst of the cache's memory.
const BURST_BYTES: f64 = 8.0;
/// Sizes of memory are of 32 bits.
const MEMORY_MAX: f64 = u32::MAX as f64;

/// Reasons why keys, or whole sections, have no counterpart.
const REASONS: &[(&str, &str)] = &[
    ("nand.read_unit", "a read moves the sectors that are wanted"),
    (
        "nand.channel_command",
        "cycles of commands are built in, about 0.3 us",
    ),
    (
        "map.stripe_dies",
        "each plane is written and collected by itself; there are no superblocks",
    ),
    (
        "map.parity",
        "there is no parity: neither its programs nor its room",
    ),
    (
        "map.entry",
        "the size of an entry is worked out from the number of pages",
    ),
    ("map.host_memory", "the table lies in the drive"),
    ("map.host_memory_latency", "the table lies in the drive"),
    (
        "gc.choices",
        "as many blocks are drawn as the logarithm of a plane's blocks",
    ),
    (
        "gc.",
        "collection of a plane begins below a number of free blocks, and copies as fast as it can",
    ),
    ("wear.", "levelling has a threshold and no pace"),
    (
        "slc.",
        "all blocks hold the same number of bits a cell: there is no cache of SLC",
    ),
    ("checkpoint.", "the mapping table is not saved"),
    ("buffer.read_ahead", "nothing is read ahead"),
    (
        "buffer.release",
        "a page of the cache is free when its program has ended",
    ),
    ("firmware.die_queue", "queues of dies have no end"),
    ("firmware.", "firmware takes no time"),
    (
        "scheduling.multi_plane",
        "commands for planes of a die are joined wherever they meet",
    ),
    (
        "scheduling.plane_reads",
        "commands for planes of a die are joined wherever they meet",
    ),
    (
        "scheduling.plane_collection",
        "commands for planes of a die are joined wherever they meet",
    ),
    (
        "scheduling.independent_plane_reads",
        "a die reads with all its planes or with one",
    ),
    ("scheduling.programs_max", "all dies may program at once"),
    (
        "scheduling.suspend_every",
        "an operation is suspended at any time",
    ),
    (
        "scheduling.suspend_max",
        "an operation is suspended any number of times",
    ),
    (
        "scheduling.resume_time",
        "an operation is resumed in no time",
    ),
    (
        "scheduling.overtake_max",
        "reads pass writes any number of times",
    ),
    ("scheduling.dispatch", "queues of dies have no end"),
    ("link.payload_max", "packets have a size that is built in"),
    ("link.command", "messages cross the lanes as bytes"),
    ("queue.transfer_max", "requests have any size"),
    ("limit.", "there is no limit at the port"),
    ("reliability.", "no block wears out"),
    ("ecc.", "no read is repeated"),
    ("faults.", "nothing fails"),
    ("power.", "energy is not told"),
    ("thermal.", "nothing warms up"),
    ("power_loss.", "power is never lost"),
    ("smart.", "there are no attributes"),
];

const OTHERWISE: &str = "there is no key for it";

fn write(asked: &Asked<'_>) -> Result<Card, CardError> {
    let drive = asked.drive;
    let mut numbers = Numbers::of(drive);
    refuse_what_has_no_pages(drive, TARGET.program, &mut numbers)?;
    let mut draft = Draft::default();
    let shape = flash::geometry(asked, &mut numbers, &mut draft)?;
    let flows = asked.load.map_or(1, |(_, jobs)| flows::most(jobs));
    flash::times(drive, &shape, &mut numbers, &mut draft);
    flash::channel(&mut numbers, &mut draft);
    mapping(drive, &shape, &mut numbers, &mut draft);
    let used = drive.capacity_bytes() as f64 / shape.page_bytes as f64 / shape.pages();
    collection(&shape, (flows, used), &mut numbers, &mut draft);
    cache(&mut numbers, &mut draft);
    scheduling(&mut numbers, &mut draft);
    host(asked, &mut numbers, &mut draft);
    draft.assumed(
        DEVICE,
        ("Enabled_Preconditioning", asked.filled),
        "the drive is filled before the load where that is asked for",
    );
    draft.assumed(DEVICE, ("Seed", 1), "any number");
    draft.drop_rest(numbers, REASONS, OTHERWISE);
    let workload = match asked.load {
        Some((name, jobs)) => Some(flows::workload(asked, name, jobs, &shape, &mut draft)?),
        None => None,
    };
    let device = device_file(asked, &draft);
    let named = |name: &str, text: String| (name.to_owned(), text);
    let mut files = vec![named("ssdconfig.xml", device)];
    files.extend(workload.map(|text| named("workload.xml", text)));
    Ok(draft.card(files))
}

fn mapping(drive: &DriveFile, shape: &Geometry, numbers: &mut Numbers, draft: &mut Draft) {
    draft.written(
        DEVICE,
        ("Address_Mapping", "PAGE_LEVEL"),
        &["map.scheme"],
        "",
    );
    draft.assumed(DEVICE, ("Memory_Type", "FLASH"), "the only one there is");
    draft.assumed(
        DEVICE,
        ("Plane_Allocation_Scheme", "CWDP"),
        "its default: the next page is on the next channel",
    );
    let user_pages = (drive.capacity_bytes() / shape.page_bytes) as f64;
    // Half a page more, so that what is rounded down there comes out at this number of pages.
    let spare = 1.0 - (user_pages + 0.5) / shape.pages();
    for key in ["spare.op", "spare.user_capacity"] {
        numbers.number(key);
    }
    draft.written(
        DEVICE,
        ("Overprovisioning_Ratio", format!("{spare:.12}")),
        &["spare.user_capacity", "nand"],
        format!("what {user_pages} pages of the host leave of all"),
    );
    let left = drive.capacity_bytes() % shape.page_bytes;
    if left > 0 {
        draft.remarks.push(format!(
            "capacity: MQSim's drive is {left} bytes smaller, as it has whole pages"
        ));
    }
    let (fits, dram) = table_in_memory(drive, numbers);
    draft.written(
        DEVICE,
        ("Ideal_Mapping_Table", fits),
        &["map.dram", "map.entry"],
        match fits {
            true => "the whole table is in memory",
            false => "",
        },
    );
    let cached = dram.unwrap_or(MEMORY_MAX).min(MEMORY_MAX);
    match fits {
        true => draft.assumed(
            DEVICE,
            ("CMT_Capacity", 2_097_152),
            "not looked at where the whole table is in memory",
        ),
        false => draft.written(DEVICE, ("CMT_Capacity", cached), &["map.dram"], ""),
    }
    if numbers.has("map.run") {
        draft.remarks.push(
            "map.run: entries of runs of slots are entries of pages there, which take more memory"
                .to_owned(),
        );
    }
    draft.assumed(
        DEVICE,
        ("CMT_Sharing_Mode", "SHARED"),
        "memory is one for all",
    );
}

/// Collection, and levelling.
fn collection(
    shape: &Geometry,
    (flows, used): (u32, f64),
    numbers: &mut Numbers,
    draft: &mut Draft,
) {
    let policy = numbers.word("gc.policy").unwrap_or_default();
    let theirs = match policy.as_str() {
        "greedy" => Some("GREEDY"),
        "d-choices" => Some("RGA"),
        "random" => Some("RANDOM"),
        "fifo" => Some("FIFO"),
        _ => None,
    };
    draft.written(
        DEVICE,
        ("GC_Block_Selection_Policy", theirs.unwrap_or("GREEDY")),
        &["gc.policy"],
        "",
    );
    if theirs.is_none() {
        draft.remarks.push(format!(
            "gc.policy {policy}: MQSim does not have it; the nearest is GREEDY"
        ));
    }
    kept_free(shape, (flows, used), numbers, draft);
    draft.assumed(DEVICE, ("GC_Hard_Threshold", "0.005"), "its default");
    draft.assumed(
        DEVICE,
        ("Use_Copyback_for_GC", false),
        "collected pages cross the channel",
    );
    draft.written(
        DEVICE,
        (
            "Preemptible_GC_Enabled",
            numbers.flag("scheduling.gc_preemptible"),
        ),
        &["scheduling.gc_preemptible"],
        "",
    );
    levelling(numbers, draft);
}

/// Wear levelling, of new blocks and of cold data.
fn levelling(numbers: &mut Numbers, draft: &mut Draft) {
    let worn = numbers.word("wear.allocation").as_deref() == Some("least-worn");
    draft.written(
        DEVICE,
        ("Dynamic_Wearleveling_Enabled", worn),
        &["wear.allocation"],
        "",
    );
    let spread = numbers.number("wear.spread");
    draft.written(
        DEVICE,
        ("Static_Wearleveling_Enabled", spread.is_some()),
        &["wear.spread"],
        "",
    );
    match spread {
        Some(spread) => draft.written(
            DEVICE,
            ("Static_Wearleveling_Threshold", spread),
            &["wear.spread"],
            "",
        ),
        None => draft.assumed(
            DEVICE,
            ("Static_Wearleveling_Threshold", 100),
            "not looked at without static levelling",
        ),
    }
}

/// The blocks of a plane below which it is collected; `used` is the part of the flash that a full drive has data in.
fn kept_free(
    shape: &Geometry,
    (flows, used): (u32, f64),
    numbers: &mut Numbers,
    draft: &mut Draft,
) {
    let reserve = count(numbers.given("gc.reserve"));
    let least = 2 * BLOCKS_HELD + BLOCKS_TAKEN * flows;
    let spare = f64::from(shape.blocks_per_plane) * (1.0 - used);
    let has_room = f64::from(least) < spare;
    let blocks = if has_room {
        reserve.max(least)
    } else {
        reserve
    };
    let threshold = (f64::from(blocks) + 0.5) / f64::from(shape.blocks_per_plane);
    let key = ("GC_Exec_Threshold", format!("{threshold:.9}"));
    let note = format!("{blocks} blocks of a plane's {}", shape.blocks_per_plane);
    if blocks == reserve {
        draft.written(DEVICE, key, &["gc.reserve"], note);
    } else {
        let why = format!(
            "{note}, as gc.reserve, {reserve}, is too few: with fewer than {BLOCKS_HELD} free MQSim holds back all writes to the \
             plane, a flow takes {BLOCKS_TAKEN}, and below {least} its runs stop without an end"
        );
        draft.assumed(DEVICE, key, why);
        draft.dropped.push(Dropped {
            key: "gc.reserve".to_owned(),
            value: reserve.to_string(),
            decides_speed: true,
            why: format!(
                "{blocks} blocks of each plane are kept free instead, which leaves less spare area in use"
            ),
        });
    }
    if !has_room {
        draft.remarks.push(format!(
            "spare: a plane of a full drive has {spare:.0} blocks beside the host's data, and MQSim needs {least} free: runs that \
             write to a full drive will not end; give it more with --set spare.op, or fill a part"
        ));
    }
}

/// The write buffer, and the core's time for what goes into it, which is a rate of memory there.
fn cache(numbers: &mut Numbers, draft: &mut Draft) {
    let size = numbers.given("buffer.size").min(MEMORY_MAX);
    draft.written(DEVICE, ("Data_Cache_Capacity", size), &["buffer.size"], "");
    draft.assumed(
        DEVICE,
        ("Caching_Mechanism", "ADVANCED"),
        "its default: writes are answered from memory, and programmed at once",
    );
    draft.assumed(
        DEVICE,
        ("Data_Cache_Sharing_Mode", "SHARED"),
        "the write buffer is one for all",
    );
    let slot = numbers.given("map.slot");
    let (key, time) = match numbers.number("firmware.write_slot") {
        Some(time) => ("firmware.write_slot", Some(time)),
        None => ("firmware.per_slot", numbers.number("firmware.per_slot")),
    };
    let burst = ("Data_Cache_DRAM_Data_Busrt_Size", BURST_BYTES);
    match time.filter(|&time| time > 0.0) {
        Some(time) => {
            let rate = (slot / time * 1e3 / BURST_BYTES)
                .round()
                .clamp(1.0, MEMORY_MAX);
            draft.written(
                DEVICE,
                ("Data_Cache_DRAM_Data_Rate", rate),
                &[key],
                "memory that takes a slot as slowly as the firmware",
            );
        }
        None => draft.assumed(
            DEVICE,
            ("Data_Cache_DRAM_Data_Rate", 3200),
            "firmware takes no time for a slot: memory of today",
        ),
    }
    draft.assumed(DEVICE, burst, "a word of memory");
    draft.assumed(DEVICE, ("Data_Cache_DRAM_Row_Size", 8192), "its default");
    for key in [
        "Data_Cache_DRAM_tRCD",
        "Data_Cache_DRAM_tCL",
        "Data_Cache_DRAM_tRP",
    ] {
        draft.assumed(DEVICE, (key, 13), "its default, in nanoseconds");
    }
}

fn scheduling(numbers: &mut Numbers, draft: &mut Draft) {
    let order = numbers.word("scheduling.order");
    let policy = ("Transaction_Scheduling_Policy", "OUT_OF_ORDER");
    match order.as_deref() {
        Some("read-first" | "all-reads-first") => {
            draft.written(DEVICE, policy, &["scheduling.order"], "reads first")
        }
        _ => {
            draft.assumed(
                DEVICE,
                policy,
                "the drive works in the order of issue, which MQSim does not have",
            );
            draft.remarks.push(
                "scheduling.order: MQSim lets reads pass, and this drive does not".to_owned(),
            );
        }
    }
    let suspend = numbers.word("scheduling.suspend");
    let suspend = match suspend.as_deref() {
        Some("erase") => "ERASE",
        Some("program-erase") => "PROGRAM_ERASE",
        _ => "NONE",
    };
    draft.written(
        FLASH,
        ("CMD_Suspension_Support", suspend),
        &["scheduling.suspend"],
        "",
    );
    let time = numbers
        .number("scheduling.suspend_time")
        .unwrap_or(0.0)
        .round();
    draft.written(
        FLASH,
        ("Suspend_Erase_Time", time),
        &["scheduling.suspend_time"],
        "",
    );
    draft.written(
        FLASH,
        ("Suspend_Program_Time", time),
        &["scheduling.suspend_time"],
        "",
    );
    suspended_until(time, numbers, draft);
}

/// What must be left of an operation for a read to suspend it.
fn suspended_until(suspension: f64, numbers: &mut Numbers, draft: &mut Draft) {
    let bounds = [
        "Preferred_suspend_erase_time_for_read",
        "Preferred_suspend_write_time_for_read",
    ];
    let own = numbers.number("scheduling.suspend_left_min");
    for key in bounds {
        match own {
            Some(left) => draft.written(
                DEVICE,
                (key, left.max(suspension).round()),
                &["scheduling.suspend_left_min"],
                "",
            ),
            None => draft.assumed(
                DEVICE,
                (key, suspension),
                "an operation is suspended if more than the suspension is left of it",
            ),
        }
    }
    draft.assumed(
        DEVICE,
        ("Preferred_suspend_erase_time_for_write", suspension),
        "writes suspend nothing here, and more there than a suspension",
    );
}

/// The port, and the queue behind it.
fn host(asked: &Asked<'_>, numbers: &mut Numbers, draft: &mut Draft) {
    let drive = asked.drive;
    let port = numbers.word("link.port");
    let lanes = port.as_deref().and_then(|port| port.rsplit_once('x'));
    let lanes: f64 = lanes
        .and_then(|(_, lanes)| lanes.parse().ok())
        .unwrap_or(1.0);
    numbers.number("link.rate");
    let rate = drive.link_bytes_s().unwrap_or(u64::MAX) as f64 / 1e9 / lanes;
    let note = "GB/s of a lane: the slower of the lanes and the drive's own rate";
    draft.written(
        HOST,
        ("PCIe_Lane_Bandwidth", rate),
        &["link.rate", "link.port"],
        note,
    );
    draft.written(HOST, ("PCIe_Lane_Count", lanes), &["link.port"], "");
    queues(asked, numbers, draft);
}

/// Queues, and what goes with the kind of port.
fn queues(asked: &Asked<'_>, numbers: &mut Numbers, draft: &mut Draft) {
    let depth = numbers.given("queue.depth").min(f64::from(u16::MAX));
    if asked.drive.is_nvme() {
        draft.written(DEVICE, ("HostInterface_Type", "NVME"), &["link.port"], "");
        draft.written(
            DEVICE,
            ("Queue_Fetch_Size", depth),
            &["queue.depth"],
            "of each flow there, of all together here",
        );
        match asked.load.map(|(_, jobs)| flows::deepest(jobs)) {
            Some(depth) => draft.written(
                DEVICE,
                ("IO_Queue_Depth", depth + 1),
                &["iodepth"],
                "the host's queue of a flow, of which one place stays free",
            ),
            None => draft.assumed(
                DEVICE,
                ("IO_Queue_Depth", 1024),
                "the host's queue of a flow; its default",
            ),
        }
        draft.assumed(HOST, ("SATA_Processing_Delay", 0), "not looked at on lanes");
    } else {
        draft.written(
            DEVICE,
            ("HostInterface_Type", "SATA"),
            &["link.port"],
            "there are no lanes",
        );
        draft.written(DEVICE, ("IO_Queue_Depth", depth), &["queue.depth"], "");
        draft.assumed(
            DEVICE,
            ("Queue_Fetch_Size", 512),
            "not looked at on a cable",
        );
        let command = numbers.given("link.command").round();
        draft.written(
            HOST,
            ("SATA_Processing_Delay", command),
            &["link.command"],
            "",
        );
    }
    draft.assumed(
        HOST,
        ("Enable_ResponseTime_Logging", false),
        "about output: true writes a mean for each period",
    );
    draft.assumed(
        HOST,
        ("ResponseTime_Logging_Period_Length", 1_000_000),
        "about output, in nanoseconds",
    );
}

/// The lines of an element, one a key.
fn element(draft: &Draft, name: &str, indent: &str) -> String {
    let keys = draft.keys(name);
    keys.map(|(key, value)| format!("{indent}<{key}>{value}</{key}>\n"))
        .collect()
}

fn device_file(asked: &Asked<'_>, draft: &Draft) -> String {
    let head = head(
        asked,
        "How far the card is off: MQSim ran with it, beside the model.",
    );
    // Two hyphens would end a comment.
    let comment = (head + &draft.notes(TARGET.program)).replace("--", "- -");
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<!--\n{comment}-->\n<Execution_Parameter_Set>\n  <{HOST}>\n{}  </{HOST}>\n  \
         <{DEVICE}>\n{}    <{FLASH}>\n{}    </{FLASH}>\n  </{DEVICE}>\n</Execution_Parameter_Set>\n",
        element(draft, HOST, "    "),
        element(draft, DEVICE, "    "),
        element(draft, FLASH, "      "),
    )
}
