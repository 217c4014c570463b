//! Hidden drives: that the generator keeps its word, and that a fit finds what reads tell of one.

use ftlab_base::RootSeed;
use ftlab_bench::review::Review;
use ftlab_bench::suites::{self, Test};
use ftlab_drive::{Catalog, DriveFile};
use ftlab_fit::candidate::{Candidate, Layout, Number};
use ftlab_fit::judge::{Judged, median};
use ftlab_fit::steps::Effort;
use ftlab_fit::target::Target;
use ftlab_fit::{FitError, Fitted, Request, fit, hidden, text};
use ftlab_lab::Lab;
use ftlab_result::ResultSet;

fn lab() -> Lab {
    Lab::new(2, 4 << 30).unwrap()
}

/// Tests of the suite whose slugs one of these words is in.
fn tests(words: &[&str]) -> Vec<Test> {
    let suite = suites::named("fit").unwrap();
    let has = |test: &Test| words.iter().any(|word| test.step.slug.contains(word));
    suite.tests().filter(has).collect()
}

fn measured(drive: &DriveFile, tests: Vec<Test>) -> ResultSet {
    let review = Review::of(vec![drive.clone().into()], tests, RootSeed(77));
    review.results(&lab(), &|_, _| Ok(())).unwrap()
}

fn fitted(start: &DriveFile, measured: &ResultSet) -> Result<Fitted, FitError> {
    let suite = suites::named("fit").unwrap();
    let target = Target::of(measured)?;
    let request = Request {
        target: &target,
        start,
        suite: &suite,
        machine: None,
        seed: RootSeed(1),
        effort: Effort::Quick,
    };
    fit(&request, &lab(), &|_, _, _| {})
}

#[test]
fn every_hidden_drive_can_be_built_and_lies_in_the_ranges_that_are_stated() {
    let (mut cached, mut unknown) = (0, 0);
    for seed in 1..=100 {
        let hidden = hidden::drive(seed).unwrap_or_else(|error| panic!("{seed}: {error}"));
        let Layout {
            channels,
            dies,
            planes,
        } = Candidate::of(&hidden.truth).layout;
        for (count, range) in [(channels, 2..=16), (dies, 4..=128), (planes, 1..=4)] {
            assert!(
                count.is_power_of_two() && range.contains(&count),
                "{seed}: {count}"
            );
        }
        let spare = Candidate::of(&hidden.truth).get(Number::Spare).unwrap();
        assert!((0.049..=0.401).contains(&spare), "{seed}: {spare}");
        // The start has what a data sheet says, and nothing else of the drive.
        assert_eq!(
            hidden.start.capacity_bytes(),
            hidden.truth.capacity_bytes(),
            "{seed}"
        );
        assert_eq!(
            hidden.start.keeps_its_buffer(),
            hidden.truth.keeps_its_buffer(),
            "{seed}"
        );
        cached += u32::from(hidden.truth.cache_bytes().is_some_and(|bytes| bytes > 0));
        unknown += u32::from(hidden.unknown.is_some());
    }
    assert!((30..=70).contains(&cached), "{cached} have a cache");
    assert!(
        (20..=47).contains(&unknown),
        "{unknown} have a mechanism that no fit knows"
    );
}

#[test]
fn one_seed_is_one_drive() {
    let text = |seed| hidden::drive(seed).unwrap().truth.text();
    assert_eq!(text(5), text(5));
    assert_ne!(text(5), text(6));
}

/// The drive that the reads of this page are of: eight dies on four channels.
fn eight_dies() -> (DriveFile, DriveFile) {
    let settings = |all: &[&str]| all.iter().map(|&of| of.to_owned()).collect::<Vec<_>>();
    let start = Catalog::default().load("generic-dc-tlc-1920", &[]).unwrap();
    let truth = settings(&[
        "nand.pages_per_block=96",
        "nand.channels=4",
        "nand.dies_per_channel=2",
        "map.stripe_dies=8",
        "nand.planes_per_die=2",
        "nand.blocks_per_die=200",
        "spare.user_capacity=2GB",
        "nand.t_read=64us",
        "nand.channel_rate=800MB/s",
        "firmware.read_command=1.6us",
        "firmware.read_pipeline=7us",
    ]);
    (start.with(&truth).unwrap(), start)
}

#[test]
fn reads_tell_dies_the_time_of_a_read_and_the_controller_s_times() {
    let (truth, start) = eight_dies();
    let reads = tests(&["unwritten", "randread", "seqread"]);
    let found = fitted(&start, &measured(&truth, reads)).unwrap();
    let layout = found.candidate.layout;
    assert_eq!((layout.dies, layout.planes), (8, 2), "{layout:?}");
    for (key, is) in [
        ("nand.t_read", 64.0),
        ("firmware.read_command", 1.6),
        ("firmware.read_pipeline", 7.0),
    ] {
        let of = found
            .found
            .iter()
            .find(|of| of.number == Number::Key(key))
            .unwrap();
        assert!(of.is_pinned(), "{key}");
        assert!((of.is / is - 1.0).abs() < 0.05, "{key}: {} for {is}", of.is);
        let interval = of.interval.as_ref().unwrap();
        assert!(
            interval.contains(&of.is) && *interval.start() > 0.0,
            "{key}: {interval:?}"
        );
    }
    // Nothing was written: no figure pins a program, so that it stays as it was, and the file says so.
    let program = Number::Key("nand.t_program");
    let program = found.found.iter().find(|of| of.number == program).unwrap();
    assert!(
        !program.is_pinned() && program.is == program.was,
        "{program:?}"
    );
    let errors = |judged: &[Judged]| median(judged.iter().map(Judged::error).collect());
    assert!(
        errors(&found.held_out) < 0.03,
        "{}",
        errors(&found.held_out)
    );
    assert!(found.lacking.iter().any(|test| test == "fit-commit-4k"));
    let text = text::text(&found.candidate, &found.found, "Mine", "measured here").unwrap();
    let again = Catalog::default().parse("mine", &text, &[]).unwrap();
    assert_eq!(again.name(), "Mine");
    let row = |key: &str| {
        again
            .parameters()
            .into_iter()
            .find(|row| row.key == key)
            .unwrap()
    };
    assert_eq!(row("nand.t_read").source, "fitted");
    assert!(
        row("nand.t_read").note.contains("measured here"),
        "{}",
        row("nand.t_read").note
    );
    assert_eq!(
        row("nand.t_program").note,
        "no figure that was measured pins it"
    );
}

#[test]
fn what_cannot_be_fitted_is_refused_with_a_reason() {
    let (truth, start) = eight_dies();
    let why = |start: &DriveFile, set: &ResultSet| fitted(start, set).unwrap_err().to_string();
    // Tests that judge are no tests to fit to.
    let mut only_held = tests(&["randread-4k-qd2"]);
    only_held.retain(|test| test.family.slug.starts_with("held-out"));
    assert!(!only_held.is_empty());
    let set = measured(&truth, only_held);
    assert!(
        why(&start, &set).contains("no test that a drive can be fitted to"),
        "{}",
        why(&start, &set)
    );
    let mut two = set.clone();
    two.drives.push(two.drives[0].clone());
    assert!(why(&start, &two).contains("of 2 drives"));
    let mut sizeless = measured(&truth, tests(&["unwritten"]));
    sizeless.drives[0].capacity_bytes = 0;
    assert!(why(&start, &sizeless).contains("--capacity"));
    let disk = Catalog::default().load("wd-velociraptor-300", &[]).unwrap();
    assert!(why(&disk, &set).contains("no flash with a map of pages"));
    let packed = Catalog::default().load("ocz-vertex2", &[]).unwrap();
    assert!(why(&packed, &set).contains("no flash with a map of pages"));
}
