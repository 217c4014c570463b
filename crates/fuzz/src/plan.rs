//! Drives to try: a drive that comes with ftlab, made small and strange by settings.

use crate::script::HANDLES;
use arbitrary::{Arbitrary, Result, Unstructured};
use ftlab_base::Nanos;
use ftlab_drive::{Catalog, DriveFile, Kind};
use ftlab_ftl::page::POLICIES;
use ftlab_host::HostOrder;
use ftlab_host::{Processor, Testbed};
use ftlab_sheet::SheetError;

/// A drive of the catalogue with settings, and the machine it is tried on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Slug of the drive that is changed.
    pub base: &'static str,
    /// `key=value`, later ones over earlier ones.
    pub settings: Vec<String>,
    /// CPU time of a command.
    pub host_command: Nanos,
    /// Order of what waits for the drive.
    pub queue_order: HostOrder,
}

/// Values that are on an edge of something, or beyond it.
const EDGES: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "-1",
    "0.5",
    "1e-9",
    "1e6",
    "1e300",
    "-1e300",
    "nan",
    "inf",
    "-inf",
    "4294967295",
    "4294967296",
    "65535",
    "65536",
    "18446744073709551616",
    "512B",
    "4KiB",
    "64KiB",
    "128KiB",
    "1GiB",
    "0s",
    "1ns",
    "3600s",
    "1e9s",
    "100%",
    "1000000MB/s",
    "1e-6MB/s",
    "word",
    "",
];

impl Plan {
    /// A drive of the catalogue as it is, on a machine that takes no time.
    #[must_use]
    pub fn of(base: &'static str, settings: &[&str]) -> Plan {
        Plan {
            base,
            settings: settings.iter().map(ToString::to_string).collect(),
            host_command: Nanos::ZERO,
            queue_order: HostOrder::Fifo,
        }
    }

    /// The drive file with the settings applied.
    ///
    /// # Errors
    /// When the drive cannot be.
    pub fn load(&self) -> std::result::Result<DriveFile, SheetError> {
        Catalog::default().load(self.base, &self.settings)
    }

    /// The same drive with blocks that do not last, and perhaps bits that are read wrong.
    ///
    /// # Errors
    /// When the bytes are used up.
    pub fn failing(mut self, u: &mut Unstructured<'_>) -> Result<Plan> {
        // Few cycles, so that blocks wear out within a script.
        self.set("reliability.rated_cycles", *u.choose(&[1, 3, 10])?);
        self.set(
            "reliability.median_cycles",
            *u.choose(&[1, 2, 3, 5, 10, 30])?,
        );
        self.set(
            "reliability.life_shape",
            *u.choose(&["1", "2", "5", "1000"])?,
        );
        self.set("reliability.erase_share", *u.choose(&["1e-9", "0.5", "1"])?);
        if u.ratio(1, 3)? {
            self.set(
                "reliability.factory_bad",
                *u.choose(&["0.01", "0.1", "0.5"])?,
            );
        }
        if u.ratio(1, 2)? {
            self.set("ecc.codeword", *u.choose(&["512B", "1KiB", "2KiB"])?);
            self.set("ecc.correctable_bits", *u.choose(&[1, 4, 12])?);
            self.set("ecc.retries", *u.choose(&[0, 1, 4])?);
            self.set("ecc.retry_gain", *u.choose(&["0.3", "1"])?);
            self.set("ecc.rber_new", *u.choose(&["0", "1e-4", "1e-2"])?);
            for share in ["ecc.rber_wear", "ecc.rber_retention", "ecc.rber_disturb"] {
                self.set(share, *u.choose(&["0", "1e-4", "1e-2", "1"])?);
            }
            for power in ["ecc.wear_power", "ecc.retention_power", "ecc.disturb_power"] {
                self.set(power, *u.choose(&["0.5", "1", "3"])?);
            }
            self.set("ecc.activation", "1.1eV");
        }
        Ok(self)
    }

    /// The test machine.
    #[must_use]
    pub fn testbed(&self) -> Testbed {
        testbed(self.host_command, self.queue_order)
    }

    /// A number that was set before.
    fn number(&self, key: &str) -> u32 {
        let settings = self.settings.iter().filter_map(|s| s.split_once('='));
        let mut numbers = settings.filter(|(name, _)| *name == key);
        let number = numbers.next_back().and_then(|(_, text)| text.parse().ok());
        number.expect("the array comes first")
    }

    fn set(&mut self, key: &str, value: impl std::fmt::Display) {
        self.settings.push(format!("{key}={value}"));
    }
}

impl<'a> Arbitrary<'a> for Plan {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Plan> {
        // Most inputs go to drives that map pages, as these have most settings.
        let kind = u.int_in_range(0..=9)?;
        let mut plan = Plan {
            base: match kind {
                0 => "seagate-momentus-7200.2",
                1..=3 => u.choose(&["samsung-slc-64", "ocz-core-jmf602"])?,
                8..=9 => "ocz-vertex3-120",
                _ => "generic-mlc-8",
            },
            settings: Vec::new(),
            host_command: Nanos(*u.choose(&[0, 0, 5_000])?),
            queue_order: *u.choose(&[HostOrder::Fifo, HostOrder::CLook])?,
        };
        match kind {
            0 => disk(&mut plan, u)?,
            1..=3 => {
                array(&mut plan, u, 1)?;
                block_mapping(&mut plan, u)?;
            }
            8..=9 => {
                array(&mut plan, u, 2)?;
                packed_mapping(&mut plan, u)?;
            }
            _ => {
                array(&mut plan, u, 2)?;
                page_mapping(&mut plan, u)?;
            }
        }
        if u.ratio(1, 4)? {
            strange(&mut plan, u)?;
        }
        Ok(plan)
    }
}

/// Test machine with that time for a command and that order of its queues.
pub fn testbed(host_command: Nanos, queue_order: HostOrder) -> Testbed {
    Testbed {
        slug: "fuzz".into(),
        name: "fuzz".into(),
        host_command,
        path: None,
        queue_order,
        ports: Vec::new(),
        slot: None,
        transfer_max: None,
        link_sleeps: false,
        power_states: false,
        processor: Processor::REFERENCE,
        os: None,
    }
}

/// A small array, its times, and what is common to both mappings. `slots` is in how many ways slots
/// and pages may differ.
fn array(plan: &mut Plan, u: &mut Unstructured<'_>, slots: u32) -> Result<()> {
    // Small and odd numbers: faults hide where shapes do not divide each other.
    let channels = u.int_in_range(1..=3)?;
    let dies_per_channel = u.int_in_range(1..=2)?;
    let planes = u.int_in_range(1..=4)?;
    let dies = channels * dies_per_channel;
    plan.set("nand.channels", channels);
    plan.set("nand.dies_per_channel", dies_per_channel);
    plan.set("nand.planes_per_die", planes);
    plan.set(
        "nand.blocks_per_die",
        planes * *u.choose(&[1, 2, 3, 5, 8, 10, 12, 12, 16, 16, 20])?,
    );
    plan.set("nand.pages_per_block", u.int_in_range(1..=5)?);
    let page_kib = *u.choose(&[4, 4, 8, 16, 2, 64])?;
    let slot_kib = if slots == 1 {
        page_kib
    } else {
        (*u.choose(&[page_kib, page_kib, page_kib / 2, 2 * page_kib, 4 * page_kib])?).clamp(4, 64)
    };
    plan.set("nand.page", format_args!("{page_kib}KiB"));
    plan.set("map.slot", format_args!("{slot_kib}KiB"));
    plan.set("map.stripe_dies", *u.choose(&[1, 1, dies, channels, 2])?);
    plan.set(
        "buffer.size",
        format_args!(
            "{}KiB",
            slot_kib.max(planes * page_kib) * u.int_in_range(1..=6)?
        ),
    );
    plan.set("firmware.die_queue", *u.choose(&[1, 2, 8, 100])?);
    plan.set("queue.depth", *u.choose(&[1, 2, 32])?);
    for (key, least) in [
        ("nand.t_read", "10ns"),
        ("nand.t_program", "10ns"),
        ("nand.t_erase", "10ns"),
        ("nand.channel_command", "0us"),
    ] {
        plan.set(key, *u.choose(&[least, "1ns", "25us", "900us", "3ms"])?);
    }
    for key in [
        "firmware.write_command",
        "firmware.per_slot",
        "link.command",
    ] {
        plan.set(key, *u.choose(&["0us", "1us", "1ms"])?);
    }
    plan.set(
        "link.rate",
        *u.choose(&["1000000000MB/s", "300MB/s", "1MB/s"])?,
    );
    Ok(())
}

/// Draws the policy of garbage collection, and its reserve.
fn collection(plan: &mut Plan, u: &mut Unstructured<'_>) -> Result<()> {
    let policy = u.choose(POLICIES)?;
    plan.set("gc.policy", policy.name);
    for parameter in policy.parameters {
        let value = u.int_in_range(1..=20)?;
        plan.set(&format!("gc.{}", parameter.name), value);
    }
    plan.set("gc.reserve", *u.choose(&[2, 2, 3, 5])?);
    Ok(())
}

/// The amount that is collected at a time.
fn pace(plan: &mut Plan, u: &mut Unstructured<'_>) -> Result<()> {
    if u.ratio(1, 3)? {
        let paces: [&[(&str, &str)]; 8] = [
            &[("gc.batch", "0.3")],
            &[("gc.batch", "1")],
            &[("gc.batch", "2")],
            &[("gc.batch", "5")],
            &[("gc.turn", "1")],
            &[("gc.turn", "7")],
            &[("gc.turn", "1"), ("gc.waiting_max", "1")],
            &[("gc.turn", "3"), ("gc.waiting_max", "9")],
        ];
        for (key, value) in *u.choose(&paces)? {
            plan.set(key, value);
        }
    }
    Ok(())
}

/// A mapping table on flash.
fn table(plan: &mut Plan, u: &mut Unstructured<'_>) -> Result<()> {
    if u.ratio(1, 3)? {
        // Large entries, so that small drives have several translation pages, and room for those.
        plan.set("nand.blocks_per_die", 60);
        plan.set("spare.op", *u.choose(&["0.6", "1.5", "3", "6"])?);
        plan.set(
            if u.ratio(1, 2)? {
                "map.entry"
            } else {
                "map.run"
            },
            *u.choose(&["2B", "4B", "256B", "1KiB", "2KiB"])?,
        );
        plan.set(
            "map.dram",
            *u.choose(&["8B", "64B", "512B", "4KiB", "8KiB", "32KiB"])?,
        );
    }
    Ok(())
}

fn page_mapping(plan: &mut Plan, u: &mut Unstructured<'_>) -> Result<()> {
    collection(plan, u)?;
    pace(plan, u)?;
    // Around what the smallest arrays can hold at all.
    plan.set(
        "spare.op",
        *u.choose(&["0.01", "0.28", "0.6", "1", "1.5", "2", "3", "3", "6"])?,
    );
    if u.ratio(1, 4)? {
        // Up to the last slot that may be promised.
        plan.set(
            "spare.user_capacity",
            format_args!("{}KiB", 4 * u.int_in_range(1..=4_000)?),
        );
    }
    if u.ratio(1, 3)? {
        let slot = u.int_in_range(1..=64)?;
        plan.set("checkpoint.every", format_args!("{}KiB", 4 * slot));
        plan.set(
            "checkpoint.size",
            format_args!("{}KiB", 4 * u.int_in_range(1..=24)?),
        );
    }
    table(plan, u)?;
    if u.ratio(1, 4)? {
        streams(plan, u)?;
    }
    if u.ratio(1, 4)? {
        plan.set(
            "wear.allocation",
            *u.choose(&["oldest-free", "least-worn"])?,
        );
        plan.set("wear.spread", u.int_in_range(1..=8)?);
        plan.set("wear.every_collections", u.int_in_range(1..=8)?);
    }
    if u.ratio(1, 3)? {
        scheduling(plan, u)?;
    }
    Ok(())
}

fn packed_mapping(plan: &mut Plan, u: &mut Unstructured<'_>) -> Result<()> {
    collection(plan, u)?;
    plan.set("gc.reads", *u.choose(&["all", "valid"])?);
    plan.set("raise.parity", u.arbitrary::<bool>()?);
    plan.set("compress.dedup", u.arbitrary::<bool>()?);
    plan.set(
        "compress.rate",
        *u.choose(&["1000000000MB/s", "460MB/s", "1MB/s"])?,
    );
    plan.set(
        "compress.chunk",
        *u.choose(&["512B", "512B", "1KiB", "2KiB", "8KiB"])?,
    );
    plan.set(
        "firmware.collected_page",
        *u.choose(&["0us", "1us", "48us"])?,
    );
    // A superblock spans all dies; a buffer for all slots that may wait for a unit is large.
    let dies = plan.number("nand.channels") * plan.number("nand.dies_per_channel");
    plan.set("map.stripe_dies", dies);
    plan.set(
        "buffer.size",
        format_args!("{}MiB", u.int_in_range(1..=24)?),
    );
    plan.set("spare.op", *u.choose(&["0.01", "0.01", "0.28", "1", "3"])?);
    Ok(())
}

fn streams(plan: &mut Plan, u: &mut Unstructured<'_>) -> Result<()> {
    if u.ratio(1, 4)? {
        return placement(plan, u);
    }
    plan.set("gc.reserve", *u.choose(&[4, 4, 6])?);
    if u.arbitrary()? {
        plan.set("gc.streams", "by-address");
        plan.set("gc.hot_share", *u.choose(&["0.1", "0.5", "0.9"])?);
    } else {
        plan.set("gc.streams", "by-age");
        plan.set("gc.hot_age", *u.choose(&["0.1", "1", "4"])?);
    }
    Ok(())
}

/// Handles for whatever a shape of a command asks for.
fn placement(plan: &mut Plan, u: &mut Unstructured<'_>) -> Result<()> {
    let handles = u32::from(HANDLES);
    let (isolation, reserve) = match u.arbitrary()? {
        true => ("initially", handles + 1),
        false => ("persistently", 2 * handles),
    };
    plan.set("gc.streams", "by-host");
    plan.set("gc.handles", handles);
    plan.set("gc.isolation", isolation);
    plan.set("gc.reserve", reserve);
    Ok(())
}

fn scheduling(plan: &mut Plan, u: &mut Unstructured<'_>) -> Result<()> {
    plan.set("scheduling.order", *u.choose(&["fcfs", "read-first"])?);
    plan.set("scheduling.gc_preemptible", u.arbitrary::<bool>()?);
    plan.set("scheduling.overtake_max", u.int_in_range(1..=9)?);
    let suspend = *u.choose(&["none", "erase", "program-erase"])?;
    plan.set("scheduling.suspend", suspend);
    plan.set("scheduling.suspend_time", *u.choose(&["0us", "20us"])?);
    plan.set("scheduling.resume_time", *u.choose(&["0us", "20us"])?);
    plan.set("scheduling.suspend_max", u.int_in_range(1..=4)?);
    Ok(())
}

fn block_mapping(plan: &mut Plan, u: &mut Unstructured<'_>) -> Result<()> {
    plan.set("map.log_blocks", u.int_in_range(1..=5)?);
    plan.set("wear.every_merges", *u.choose(&[0, 1, 5, 50])?);
    plan.set("wear.blocks", u.int_in_range(0..=3)?);
    plan.set(
        "spare.op",
        *u.choose(&["0.01", "0.28", "0.6", "1", "1.5", "2", "3", "3", "6"])?,
    );
    Ok(())
}

fn disk(plan: &mut Plan, u: &mut Unstructured<'_>) -> Result<()> {
    // The speeds reach from a disk that hardly turns to one that takes no time.
    plan.set(
        "disk.capacity",
        format_args!("{}sectors", u.int_in_range(1..=40_000)?),
    );
    plan.set("disk.rpm", *u.choose(&[60, 5_400, 10_000, 1_000_000])?);
    plan.set("disk.heads", u.int_in_range(1..=4)?);
    plan.set("disk.zones", u.int_in_range(1..=5)?);
    plan.set("disk.head_switch", *u.choose(&["0ms", "0.5ms", "5ms"])?);
    plan.set(
        "cache.write_size",
        *u.choose(&["1B", "512B", "4KiB", "64KiB", "1MiB"])?,
    );
    let segments = u.int_in_range(1..=8)?;
    plan.set("cache.write_segments", segments);
    plan.set("cache.destage_sweep", u.int_in_range(1..=segments)?);
    plan.set(
        "cache.destage_order",
        *u.choose(&["shortest-positioning", "elevator"])?,
    );
    plan.set("cache.read_segments", u.int_in_range(1..=4)?);
    let (segment, least) = *u.choose(&[
        ("1B", "1B"),
        ("512B", "512B"),
        ("64KiB", "511B"),
        ("64KiB", "64KiB"),
        ("1MiB", "32KiB"),
    ])?;
    plan.set("cache.read_segment_size", segment);
    plan.set("cache.read_ahead_least", least);
    plan.set("cache.destage_wait", *u.choose(&["0ms", "0.5ms", "5ms"])?);
    plan.set("queue.depth", *u.choose(&[1, 2, 32])?);
    Ok(())
}

/// Puts some of the drive's numbers on an edge, or something that is no number in their place.
fn strange(plan: &mut Plan, u: &mut Unstructured<'_>) -> Result<()> {
    let file = Catalog::default()
        .load(plan.base, &[])
        .expect("it comes with ftlab");
    let keys: Vec<String> = file.parameters().into_iter().map(|row| row.key).collect();
    for _ in 0..u.int_in_range(1..=3)? {
        let key = u.choose(&keys)?.clone();
        plan.set(&key, *u.choose(EDGES)?);
    }
    Ok(())
}

/// Pages and slots of a drive's array, whichever are more: what its tables grow with; 0 for a disk.
#[must_use]
pub fn pages(file: &DriveFile) -> u64 {
    if file.kind() == Kind::Disk {
        return 0;
    }
    let rows = file.parameters();
    let count = |key: &str| {
        let row = rows.iter().find(|row| row.key == key);
        row.and_then(|row| row.value.parse::<f64>().ok())
            .unwrap_or(1.0)
    };
    let pages = count("nand.channels")
        * count("nand.dies_per_channel")
        * count("nand.blocks_per_die")
        * count("nand.pages_per_block");
    // A page has at most 16 slots: 64 KiB of 4.
    16 * pages as u64
}
