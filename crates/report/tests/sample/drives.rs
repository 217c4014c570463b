//! The invented drives of the sample.

use ftlab_result::{Alone, DriveKind, DriveSheet, Parameter};

/// What makes an invented drive behave as it does.
pub struct Character {
    pub slug: &'static str,
    pub name: &'static str,
    pub summary: &'static str,
    pub kind: DriveKind,
    pub capacity_gb: u64,
    /// Average of a random 4 KiB write.
    pub random_ms: f64,
    /// Average of a sequential 4 KiB write.
    pub sequential_ms: f64,
    /// More for each KiB beyond four.
    pub per_kib_ms: f64,
    pub longest_ms: f64,
    /// Exponent of latency over queue depth: 1 without command queueing.
    pub queueing: f64,
    /// Width of the latency distribution.
    pub spread: f64,
    pub wa: f64,
    /// Share of the writes that wait for the buffer.
    pub stalls: f64,
    /// Whether a review measured it.
    pub published: bool,
}

pub fn characters() -> Vec<Character> {
    let ssd = |slug, name, summary, capacity_gb| Character {
        slug,
        name,
        summary,
        kind: DriveKind::Ssd,
        capacity_gb,
        random_ms: 0.089,
        sequential_ms: 0.087,
        per_kib_ms: 0.0126,
        longest_ms: 92.0,
        queueing: 0.86,
        spread: 0.35,
        wa: 1.06,
        stalls: 0.002,
        published: true,
    };
    vec![
        Character {
            random_ms: 244.0,
            sequential_ms: 0.36,
            per_kib_ms: 0.02,
            longest_ms: 988.0,
            queueing: 1.0,
            spread: 0.5,
            wa: 128.0,
            stalls: 0.97,
            ..ssd(
                "spinfree-core-64",
                "Spinfree Core 64 GB",
                "Two-bit flash behind a controller that maps whole blocks and has 16 KB of buffer.",
                64,
            )
        },
        Character {
            random_ms: 9.2,
            sequential_ms: 0.16,
            per_kib_ms: 0.16,
            longest_ms: 168.0,
            queueing: 1.0,
            spread: 0.4,
            wa: 31.0,
            stalls: 0.6,
            ..ssd(
                "hanok-slc-64",
                "Hanok SLC 64 GB",
                "One-bit flash, block-mapped with a page-mapped log, 32 MB of DRAM.",
                64,
            )
        },
        ssd(
            "portland-x25-80",
            "Portland X25 80 GB",
            "Ten channels of two-bit flash, mapped by the page in SRAM and DRAM.",
            80,
        ),
        Character {
            kind: DriveKind::Disk,
            random_ms: 9.4,
            sequential_ms: 0.16,
            per_kib_ms: 0.02,
            longest_ms: 77.0,
            queueing: 0.9,
            spread: 0.3,
            wa: 0.0,
            stalls: 0.0,
            ..ssd(
                "seascape-7200",
                "Seascape 7200 notebook disk",
                "Two platters at 7,200 turns a minute with an 8 MB cache.",
                160,
            )
        },
        Character {
            random_ms: 0.31,
            sequential_ms: 0.12,
            per_kib_ms: 0.015,
            longest_ms: 44.0,
            queueing: 0.8,
            wa: 4.2,
            stalls: 0.11,
            published: false,
            ..ssd(
                "barefoot-class-128",
                "Barefoot class 128 GB",
                "Two-bit flash, page-mapped, 64 MB of DRAM; nobody published these tests for it.",
                128,
            )
        },
    ]
}

impl Character {
    pub fn sheet(&self) -> DriveSheet {
        DriveSheet {
            drive: self.slug.into(),
            name: self.name.into(),
            summary: self.summary.into(),
            kind: self.kind,
            capacity_bytes: self.capacity_gb * 1_000_000_000,
            file_hash: "9f2c41d07ab3e856".into(),
            members: Vec::new(),
            parameters: self.parameters(),
            alone: self.alone(),
            alone_on: "anandtech-2008".to_owned(),
        }
    }

    fn alone(&self) -> Vec<Alone> {
        let read = Alone {
            command: "read 4 KiB".into(),
            host_us: 5.0,
            link_us: 15.7,
            firmware_us: 40.2,
            flash_us: 50.0,
            bus_us: 27.4,
            total_us: 138.3,
        };
        match self.kind {
            DriveKind::Ssd => vec![read],
            DriveKind::Disk | DriveKind::Ram | DriveKind::Unknown => Vec::new(),
        }
    }

    fn parameters(&self) -> Vec<Parameter> {
        let row =
            |key: &str, value: &str, unit: &str, source: &str, confidence: &str, note: &str| {
                Parameter {
                    key: key.into(),
                    value: value.into(),
                    unit: unit.into(),
                    source: source.into(),
                    confidence: confidence.into(),
                    from: match source {
                        "fitted" => vec!["F9001".into()],
                        _ => Vec::new(),
                    },
                    note: note.into(),
                    base: String::new(),
                }
            };
        if self.kind == DriveKind::Disk {
            return vec![
                row("disk.rpm", "7200", "1/min", "datasheet", "high", "as sold"),
                row(
                    "disk.seek_avg",
                    "10.5",
                    "ms",
                    "datasheet",
                    "medium",
                    "write seek",
                ),
                row(
                    "disk.cache",
                    "8",
                    "MiB",
                    "datasheet",
                    "high",
                    "with reordering",
                ),
                row(
                    "disk.settle",
                    "0.9",
                    "ms",
                    "fitted",
                    "medium",
                    "pinned by the average of random writes",
                ),
            ];
        }
        vec![
            row(
                "nand.page_size",
                "4096",
                "bytes",
                "review",
                "high",
                "the review’s table of flash",
            ),
            row(
                "nand.t_read",
                "50",
                "µs",
                "review",
                "high",
                "typical for two-bit flash",
            ),
            row(
                "nand.t_prog",
                "900",
                "µs",
                "review",
                "high",
                "average of both pages of a word line",
            ),
            row("nand.t_erase", "2", "ms", "review", "high", ""),
            row(
                "nand.channels",
                "10",
                "",
                "datasheet",
                "high",
                "one per package",
            ),
            row(
                "map.scheme",
                "page",
                "",
                "review",
                "medium",
                "follows from the latency at every block size",
            ),
            row(
                "map.dram",
                "16",
                "MiB",
                "review",
                "high",
                "named as holding no user data",
            ),
            row(
                "buffer.size",
                "256",
                "KiB",
                "review",
                "medium",
                "SRAM on the controller",
            ),
            row(
                "firmware.command_time",
                "61.5",
                "µs",
                "fitted",
                "medium",
                "pinned by the average of 4 KiB writes",
            ),
            row(
                "firmware.checkpoint_time",
                "92",
                "ms",
                "fitted",
                "low",
                "pinned by the longest wait; the mechanism is assumed",
            ),
            row(
                "link.rate",
                "3",
                "Gbit/s",
                "datasheet",
                "high",
                "8b/10b coded",
            ),
        ]
    }
}
