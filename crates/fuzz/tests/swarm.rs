//! The fuzz targets without guidance: bytes from named streams, a grid over what matters most, and
//! every input that is kept in `inputs/`.

use arbitrary::Unstructured;
use ftlab_ftl::page::POLICIES;
use ftlab_fuzz::{
    Plan, Tally, Verdict, bytes, drive, drive_file, failing_drive, job_file, nbd_client,
    script_file, settings, testbed_file, trace_file, try_plan,
};
use std::path::Path;

/// Bytes of a script of about a thousand commands.
const SCRIPT_BYTES: usize = 500;

fn add(sum: &mut Tally, one: &Tally) {
    sum.commands += one.commands;
    sum.switches += one.switches;
    sum.counters.nand_erases += one.counters.nand_erases;
    sum.counters.moved_programs += one.counters.moved_programs;
    sum.counters.buffer_stalls += one.counters.buffer_stalls;
}

#[test]
fn random_drives_are_refused_or_right() {
    let (mut ran, mut refused, mut sum) = (0, 0, Tally::default());
    for seed in 0..1_200 {
        match drive(&bytes(seed, 400)) {
            Verdict::Ran(tally) => {
                ran += 1;
                add(&mut sum, &tally);
            }
            Verdict::Refused(_) => refused += 1,
            Verdict::NoInput | Verdict::TooLarge => {}
        }
    }
    // Or the generator has lost its aim.
    assert!(ran > 300 && refused > 100, "{ran} ran, {refused} refused");
    assert!(sum.commands > 100_000 && sum.switches > 100, "{sum:?}");
    assert!(sum.counters.nand_erases > 10_000, "{sum:?}");
    assert!(sum.counters.moved_programs > 10_000, "{sum:?}");
    assert!(sum.counters.buffer_stalls > 1_000, "{sum:?}");
}

/// Tries a plan that must run; gives what it did.
fn ran(plan: &Plan, seed: u64) -> Tally {
    match try_plan(plan, &mut Unstructured::new(&bytes(seed, SCRIPT_BYTES))) {
        Verdict::Ran(tally) => tally,
        other => panic!("{plan:?}: {other:?}"),
    }
}

/// A plan with settings as text, one after the other.
fn plan(base: &'static str, settings: &str) -> Plan {
    let settings: Vec<&str> = settings.split_whitespace().collect();
    Plan::of(base, &settings)
}

#[test]
fn page_mapping_is_right_in_every_shape() {
    let mut seed = 0;
    for policy in POLICIES {
        let of_policy = policy.parameters.iter();
        let parameters: String = of_policy.map(|p| format!("gc.{}=3 ", p.name)).collect();
        let mut sum = Tally::default();
        for (dies, stripe) in [(1, 1), (2, 1), (2, 2), (3, 1), (4, 2), (4, 1)] {
            for (planes, slot) in (1..=4).flat_map(|p| [4, 8, 16, 32].map(|slot| (p, slot))) {
                // Pages of 8 KiB: slots of half a page to four pages, which with three planes are
                // no program unit's divisor or multiple.
                if planes == 3 && slot > 8 {
                    continue;
                }
                seed += 1;
                let tables = match seed % 2 {
                    0 => "",
                    _ => "checkpoint.every=96KiB checkpoint.size=40KiB",
                };
                // Eight entries of 1 KiB in a page: many translation pages, few in memory.
                let map = match seed % 3 {
                    0 => "map.entry=1KiB map.dram=10KiB spare.op=1 ",
                    _ => "",
                };
                let log = match seed % 5 {
                    0 => "gc.separate=false ",
                    _ => "",
                };
                let blocks = if map.is_empty() { 24 } else { 48 } * planes;
                let plan = plan(
                    "generic-mlc-8",
                    &format!(
                        "nand.channels={dies} nand.dies_per_channel=1 nand.planes_per_die={planes} \
                         nand.blocks_per_die={blocks} nand.pages_per_block=4 nand.page=8KiB \
                         map.slot={slot}KiB map.stripe_dies={stripe} spare.op=0.7 \
                         buffer.size=64KiB gc.policy={} {parameters}{map}{log}{tables}",
                        policy.name
                    ),
                );
                add(&mut sum, &ran(&plan, seed));
            }
        }
        assert!(
            sum.counters.moved_programs > 1_000,
            "{}: {sum:?}",
            policy.name
        );
    }
}

#[test]
fn block_mapping_is_right_in_every_shape() {
    let mut seed = 0;
    for base in ["ocz-core-jmf602", "samsung-slc-64"] {
        let mut sum = Tally::default();
        for (dies, stripe) in [(1, 1), (2, 1), (2, 2), (4, 2), (4, 4)] {
            for (planes, logs) in (1..=4).flat_map(|p| [1, 2, 4].map(|logs| (p, logs))) {
                seed += 1;
                let blocks = 16 * planes;
                let wear = [0, 1, 7][seed as usize % 3];
                let plan = plan(
                    base,
                    &format!(
                        "nand.channels={dies} nand.dies_per_channel=1 nand.planes_per_die={planes} \
                         nand.blocks_per_die={blocks} nand.pages_per_block=4 nand.page=4KiB \
                         map.stripe_dies={stripe} map.log_blocks={logs} spare.op=1.5 \
                         buffer.size=16KiB wear.every_merges={wear} wear.blocks=2"
                    ),
                );
                add(&mut sum, &ran(&plan, seed));
            }
        }
        assert!(sum.counters.moved_programs > 1_000, "{base}: {sum:?}");
    }
}

#[test]
fn packed_mapping_is_right_in_every_shape() {
    let mut seed = 0;
    for policy in ["greedy", "random", "cost-benefit"] {
        let mut sum = Tally::default();
        for (dies, parity) in [(1, false), (2, false), (2, true), (3, true), (5, true)] {
            for (planes, chunk) in (1..=3).flat_map(|p| [512, 1024, 4096].map(|c| (p, c))) {
                seed += 1;
                let reads = ["all", "valid"][seed as usize % 2];
                let blocks = 14 * planes;
                let plan = plan(
                    "ocz-vertex3-120",
                    &format!(
                        "nand.channels={dies} nand.dies_per_channel=1 nand.planes_per_die={planes} \
                         nand.blocks_per_die={blocks} nand.pages_per_block=4 nand.page=8KiB \
                         map.stripe_dies={dies} raise.parity={parity} compress.chunk={chunk}B \
                         spare.op=0.01 gc.reserve=2 buffer.size=256KiB gc.policy={policy} \
                         gc.reads={reads}"
                    ),
                );
                let tally = ran(&plan, seed);
                assert_eq!(tally.failed, 0, "{plan:?}");
                add(&mut sum, &tally);
            }
        }
        assert!(sum.counters.moved_programs > 1_000, "{policy}: {sum:?}");
    }
}

#[test]
fn drives_that_fail_are_refused_or_right_to_their_end() {
    let (mut ran, mut ended) = (0, 0);
    for seed in 0..4_000 {
        if let Verdict::Ran(tally) = failing_drive(&bytes(seed, 400)) {
            ran += 1;
            ended += u32::from(tally.failed > 0);
        }
    }
    // Or the generator has lost its aim.
    assert!(
        ran > 250 && ended > 80,
        "{ran} ran, {ended} came to their end"
    );
}

/// A target by the name that its inputs and its binary have.
type Target = (&'static str, fn(&[u8]) -> Verdict);

const TARGETS: [Target; 9] = [
    ("drive", drive),
    ("failing_drive", failing_drive),
    ("drive_file", drive_file),
    ("settings", settings),
    ("job_file", job_file),
    ("script_file", script_file),
    ("trace_file", trace_file),
    ("testbed_file", testbed_file),
    ("nbd_client", nbd_client),
];

/// The inputs kept for a target, by name.
fn inputs(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("inputs")
        .join(target);
    let entries = std::fs::read_dir(&folder).expect("a folder of inputs for each target");
    let mut inputs: Vec<_> = entries
        .map(|entry| {
            let path = entry.expect("readable").path();
            let name = path.file_name().expect("a file").to_string_lossy();
            (name.into_owned(), std::fs::read(&path).expect("readable"))
        })
        .collect();
    inputs.sort();
    inputs
}

#[test]
fn every_input_that_was_kept_is_refused_or_right() {
    for (target, try_it) in TARGETS {
        let mut right = 0;
        for (name, data) in inputs(target) {
            println!("{target}/{name}");
            right += u32::from(matches!(try_it(&data), Verdict::Ran(_)));
        }
        assert!(right > 0, "{target}: no input is right");
    }
}

#[test]
fn texts_that_are_nearly_right_are_refused_or_right() {
    for (target, try_it) in &TARGETS[2..] {
        let (mut right, mut refused) = (0, 0);
        for (name, data) in inputs(target) {
            for seed in 0..40 {
                let random = bytes(seed, 64);
                let data = changed(&data, &mut Unstructured::new(&random));
                match try_it(&data) {
                    Verdict::Refused(_) => refused += 1,
                    Verdict::Ran(_) => right += 1,
                    Verdict::NoInput | Verdict::TooLarge => {}
                }
            }
            println!("{target}/{name}");
        }
        assert!(
            right > 0 && refused > 0,
            "{target}: {right} right, {refused} refused"
        );
    }
}

/// The text with some bytes changed, inserted, doubled or left out.
fn changed(text: &[u8], u: &mut Unstructured<'_>) -> Vec<u8> {
    const TELLING: &[u8] = b"0123456789.-+e=[]{}\",\n \xff%kKnai";
    let mut text = text.to_vec();
    let mut draw = |most: usize| u.int_in_range(0..=most).unwrap_or(0);
    for _ in 0..=draw(3) {
        let at = draw(text.len());
        let (rest, byte) = (text.len() - at, TELLING[draw(TELLING.len() - 1)]);
        match draw(3) {
            0 if rest > 0 => text[at] = byte,
            1 => text.insert(at, byte),
            2 => drop(text.drain(at..at + draw(rest.min(20)))),
            _ => text.extend_from_within(at..at + draw(rest.min(20))),
        }
    }
    text
}
