//! Images with random damage: whatever it is, no sector is served that is old or another's.

use super::driven::{Clock, Driven, open};
use super::oracle::{Found, Oracle};
use super::recorder::Recorder;
use super::tiny::tiny;
use crate::regions::{HEADER_BYTES, Regions};
use crate::storage::{Memory, Region, Storage};
use ftlab_base::RootSeed;
use ftlab_base::rng::Stream;
use rand::{Rng, RngExt};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

const KINDS: [&str; 4] = ["page", "block", "packed", "flat"];
const PAGE: u64 = 4096;
/// Opening such an image takes milliseconds; what takes so long hangs.
const PATIENCE: Duration = Duration::from_mins(2);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Header,
    Checkpoints,
    Journal,
    Pages,
    Metadata,
}

const PARTS: [Part; 5] = [
    Part::Header,
    Part::Checkpoints,
    Part::Journal,
    Part::Pages,
    Part::Metadata,
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Mutation {
    Flips,
    Zeros,
    Garbage,
    Truncation,
    Swap,
}

const MUTATIONS: [Mutation; 5] = [
    Mutation::Flips,
    Mutation::Zeros,
    Mutation::Garbage,
    Mutation::Truncation,
    Mutation::Swap,
];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    /// The image is not opened.
    Refused,
    /// Some sector is an error; the others are as they were written.
    ErrorOnRead,
    /// All sectors are as they were written.
    AsWritten,
    /// A sector is old, or another's.
    Stale,
    Panic,
    Hang,
}

/// How a drive ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// It loses its power at work.
    Killed,
    /// It does, while a checkpoint is written beside that.
    KilledAtACheckpoint,
    /// It is switched off in order.
    Closed,
}

/// An image as a drive left it, and what it must hold.
struct Scene {
    memory: Memory,
    oracle: Oracle,
    operations: usize,
    regions: Regions,
    /// Where things are written, by part of the file.
    extents: BTreeMap<Part, Vec<Region>>,
}

/// Pages of memory in a region that hold something, up to their last byte that is not zero.
fn written(memory: &Memory, region: Region) -> Vec<Region> {
    let end = region.at + region.bytes;
    let mut pages = Vec::new();
    let mut at = region.at;
    while let Some(data) = memory.next_data(at).unwrap().filter(|data| *data < end) {
        let bytes = PAGE.min(end - data);
        let mut page = vec![0; bytes as usize];
        memory.read_at(data, &mut page).unwrap();
        if let Some(last) = page.iter().rposition(|&byte| byte != 0) {
            pages.push(Region {
                at: data,
                bytes: last as u64 + 1,
            });
        }
        at = data + bytes;
    }
    pages
}

impl Scene {
    /// A drive that ends so.
    fn new(kind: &str, seed: u64, ends: Ends) -> Scene {
        let mut driven = Driven::new(&tiny(kind), seed).promising_flushes();
        driven.work(Clock::Untimed, 2 * driven.oracle.slots());
        driven.drive.checkpoint().unwrap();
        driven.work(Clock::Untimed, 80);
        if ends == Ends::KilledAtACheckpoint {
            // It gets nowhere.
            driven.recorder.write_beside();
            driven.drive.have_checkpoint_due();
        }
        driven.work(Clock::Timed, 40);
        driven.pause();
        driven.flush();
        driven.work(Clock::Untimed, 3);
        let regions = driven.drive.body.regions();
        if ends == Ends::Closed {
            driven.flush();
            driven.drive.close().unwrap();
        }
        let memory = driven.recorder.memory();
        let header = Region {
            at: 0,
            bytes: HEADER_BYTES,
        };
        let of = |regions: &[Region]| regions.iter().flat_map(|&r| written(&memory, r)).collect();
        let pages: Vec<Region> = of(&[regions.data]);
        let metadata = if kind == "flat" {
            of(&[regions.checksums])
        } else {
            let places = regions.data.bytes / regions.stride;
            let fronts = (0..places).map(|place| Region {
                at: regions.place(place as u32),
                bytes: 40,
            });
            let is_written = |front: &Region| {
                let mut magic = [0; 4];
                memory.read_at(front.at, &mut magic).unwrap();
                magic != [0; 4]
            };
            fronts.filter(is_written).collect()
        };
        let extents = BTreeMap::from([
            (Part::Header, of(&[header])),
            (Part::Checkpoints, of(&regions.checkpoints)),
            (Part::Journal, of(&regions.journals.regions)),
            (Part::Pages, pages),
            (Part::Metadata, metadata),
        ]);
        Scene {
            operations: driven.recorder.count(),
            memory,
            oracle: driven.oracle,
            regions,
            extents,
        }
    }

    /// The image with damage.
    fn mutated(&self, part: Part, mutation: Mutation, rng: &mut Stream) -> Memory {
        let mut memory = self.memory.clone();
        let extents = &self.extents[&part];
        if extents.is_empty() {
            return memory;
        }
        let pick = |rng: &mut Stream| extents[rng.random_range(0..extents.len())];
        let extent = pick(rng);
        let at = extent.at + rng.random_range(0..extent.bytes);
        let bytes = [1, 16, 512, PAGE, 3 * PAGE][rng.random_range(0..5)];
        match mutation {
            Mutation::Flips => {
                for _ in 0..rng.random_range(1..4) {
                    let extent = pick(rng);
                    let at = extent.at + rng.random_range(0..extent.bytes);
                    let mut byte = [0];
                    memory.read_at(at, &mut byte).unwrap();
                    memory
                        .write_at(at, &[byte[0] ^ 1 << rng.random_range(0..8)])
                        .unwrap();
                }
            }
            Mutation::Zeros => memory.write_at(at, &vec![0; bytes as usize]).unwrap(),
            Mutation::Garbage => {
                let mut garbage = vec![0; bytes as usize];
                rng.fill_bytes(&mut garbage);
                memory.write_at(at, &garbage).unwrap();
            }
            // What was cut off and made as long again has zeros there.
            Mutation::Truncation => {
                let end = self.regions.end() + PAGE;
                memory.give_up(at, end - at).unwrap();
            }
            Mutation::Swap => {
                let other = pick(rng);
                let bytes = extent.bytes.min(other.bytes) as usize;
                let (mut one, mut two) = (vec![0; bytes], vec![0; bytes]);
                memory.read_at(extent.at, &mut one).unwrap();
                memory.read_at(other.at, &mut two).unwrap();
                memory.write_at(extent.at, &two).unwrap();
                memory.write_at(other.at, &one).unwrap();
            }
        }
        memory
    }

    /// What comes of opening it and reading everything.
    fn verdict(&self, memory: Memory) -> Verdict {
        let (oracle, operations) = (self.oracle.clone(), self.operations);
        let (tell, told) = mpsc::channel();
        let reader = thread::spawn(move || {
            let verdict = match open(&Recorder::of(memory)) {
                Err(_) => Verdict::Refused,
                Ok((mut drive, _)) => match oracle.look(&mut drive, operations) {
                    Found::Strange => Verdict::Stale,
                    Found::Errors => Verdict::ErrorOnRead,
                    Found::AsWritten => Verdict::AsWritten,
                },
            };
            let _ = tell.send(verdict);
        });
        match told.recv_timeout(PATIENCE) {
            Ok(verdict) => {
                reader.join().expect("it has told");
                verdict
            }
            Err(RecvTimeoutError::Timeout) => Verdict::Hang,
            Err(RecvTimeoutError::Disconnected) => Verdict::Panic,
        }
    }
}

type Table = BTreeMap<(&'static str, Part, Mutation), BTreeMap<Verdict, u32>>;

/// Tries `count` mutations of images of all kinds.
fn run(count: usize, seed: u64) -> Table {
    let mut table = Table::new();
    let ends = [Ends::Killed, Ends::KilledAtACheckpoint, Ends::Closed];
    let scenes: Vec<[Scene; 3]> = KINDS
        .iter()
        .map(|kind| ends.map(|ends| Scene::new(kind, seed, ends)))
        .collect();
    let mut rng = RootSeed(seed).stream("mutations");
    for n in 0..count {
        let (kind, part) = (n % KINDS.len(), PARTS[n / KINDS.len() % PARTS.len()]);
        let mutation = MUTATIONS[n / (KINDS.len() * PARTS.len()) % MUTATIONS.len()];
        let scene = &scenes[kind][[0, 0, 1, 1, 2][rng.random_range(0..5)]];
        let verdict = scene.verdict(scene.mutated(part, mutation, &mut rng));
        let key = (KINDS[kind], part, mutation);
        *table.entry(key).or_default().entry(verdict).or_default() += 1;
        assert!(
            verdict < Verdict::Stale,
            "mutation {n} of seed {seed}: {key:?} gives {verdict:?}"
        );
    }
    table
}

fn printed(table: &Table) -> String {
    let mut out = format!(
        "{:<8} {:<12} {:<11} {:>8} {:>14} {:>10} {:>6} {:>6} {:>5}\n",
        "kind",
        "part",
        "mutation",
        "refused",
        "error on read",
        "as written",
        "stale",
        "panic",
        "hang"
    );
    for ((kind, part, mutation), verdicts) in table {
        let of = |verdict| verdicts.get(&verdict).copied().unwrap_or(0);
        writeln!(
            out,
            "{kind:<8} {:<12} {:<11} {:>8} {:>14} {:>10} {:>6} {:>6} {:>5}",
            format!("{part:?}"),
            format!("{mutation:?}"),
            of(Verdict::Refused),
            of(Verdict::ErrorOnRead),
            of(Verdict::AsWritten),
            of(Verdict::Stale),
            of(Verdict::Panic),
            of(Verdict::Hang),
        )
        .expect("writing to a string succeeds");
    }
    out
}

#[test]
fn no_damage_has_old_or_foreign_data_served() {
    let table = run(420, 1);
    eprintln!("{}", printed(&table));
    let all: u32 = table.values().flat_map(BTreeMap::values).sum();
    assert_eq!(all, 420);
    // It is damage that is tried: much of it shows in each part, but in a header, which has a copy.
    let shows = |verdicts: &BTreeMap<Verdict, u32>| {
        let of = |verdict| verdicts.get(&verdict).copied().unwrap_or(0);
        of(Verdict::Refused) + of(Verdict::ErrorOnRead)
    };
    for part in &PARTS[1..] {
        let of_part = table.iter().filter(|((_, other, _), _)| other == part);
        let shown: u32 = of_part.map(|(_, verdicts)| shows(verdicts)).sum();
        assert!(shown > 20, "{part:?}: {shown} show");
    }
}

#[test]
#[ignore = "minutes: cargo test -p ftlab-image mutations -- --ignored --nocapture prints the table"]
fn no_damage_of_many_has_old_or_foreign_data_served() {
    for seed in 1..=10 {
        let table = run(2100, seed);
        eprintln!("seed {seed}\n{}", printed(&table));
    }
}
