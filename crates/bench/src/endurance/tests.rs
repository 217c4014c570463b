//! Lives whose length is known.

use super::*;
use ftlab_drive::{Catalog, Health, Scale};
use ftlab_host::Testbed;

const DAILY: Daily = Daily {
    bytes: 1e9,
    celsius: 40.0,
};

/// A drive whose blocks all last as long as the rating, and lose nothing else.
fn even(settings: &[&str]) -> DriveFile {
    let base = [
        // Greedy takes the first of equals, and lets others lie: FIFO wears all alike.
        "gc.policy=fifo",
        "map.stripe_dies=16",
        "nand.blocks_per_die=128",
        "nand.pages_per_block=16",
        "reliability.rated_cycles=100",
        "reliability.median_cycles=100",
        "reliability.life_shape=1000",
        "reliability.erase_share=1",
    ];
    let all: Vec<String> = base
        .iter()
        .chain(settings)
        .map(|s| (*s).to_owned())
        .collect();
    Catalog::default().load("generic-mlc-8", &all).unwrap()
}

fn life_of(file: &DriveFile, job: &str, scale: Scale) -> Life {
    let job = JobFile::parse(job, "test.fio").unwrap();
    let testbed = Testbed::load("anandtech-2008").unwrap();
    let plan = Plan { scale };
    live(
        file,
        &job,
        &plan,
        DAILY,
        &testbed,
        RootSeed(1),
        &ftlab_states::watch::nobody,
    )
    .unwrap()
}

#[test]
fn what_is_told_of_a_life_never_falls() {
    let job = JobFile::parse(SEQUENTIAL, "test.fio").unwrap();
    let testbed = Testbed::load("anandtech-2008").unwrap();
    let told = std::sync::Mutex::new(Vec::new());
    let watch = |_: &str, share: Option<f64>| {
        told.lock().unwrap().push(share.unwrap_or_default());
        Ok(())
    };
    let plan = Plan { scale: Scale::FULL };
    live(
        &even(&[]),
        &job,
        &plan,
        DAILY,
        &testbed,
        RootSeed(1),
        &watch,
    )
    .unwrap();
    let told = told.into_inner().unwrap();
    assert!(told.is_sorted(), "{told:?}");
    assert!(told[0] == 0.0 && told.last() > Some(&0.9), "{told:?}");
}

const SEQUENTIAL: &str = "[w]\nrw=write\nbs=128k\nsize=100%";
const RANDOM: &str = "[w]\nrw=randwrite\nbs=4k\nsize=100%\nnorandommap";

#[test]
fn a_life_of_sequential_writes_is_raw_capacity_times_cycles() {
    let life = life_of(&even(&[]), SEQUENTIAL, Scale::FULL);
    let raw_bytes = f64::from(16 * 128 * 16 * 4096);
    let share = life.host_bytes / (raw_bytes * 100.0);
    assert!((share - 1.0).abs() < 0.03, "{share}");
    assert!((life.wa - 1.0).abs() < 0.001, "{}", life.wa);
    assert!(life.marks.iter().all(|mark| mark.over_worn_share == 0.0));
    let Ending::ReadOnly(why) = &life.ending;
    assert!(why.contains("worn out"), "{why}");
    // What is even ends at once.
    let first = life.first_bad_bytes.unwrap();
    assert!(
        first > 0.95 * life.host_bytes,
        "{first} of {}",
        life.host_bytes
    );
    assert!((life.days(DAILY) - life.host_bytes / 1e9).abs() < 1e-6);
    // The rated cycles are used up between two looks, which are a fortieth of a life apart.
    if let Some(rated) = life.rated_bytes {
        let before = life.seen_before(rated);
        let exact = raw_bytes * 100.0;
        assert!(
            before <= 1.001 * exact && exact <= 1.03 * rated,
            "{before} {exact} {rated}"
        );
        assert!(rated - before < 0.03 * exact, "{before} to {rated}");
    }
    assert_eq!(life.seen_before(0.0), 0.0);
}

#[test]
fn host_bytes_fall_as_write_amplification_rises() {
    let sequential = life_of(&even(&[]), SEQUENTIAL, Scale::FULL);
    let random = life_of(&even(&[]), RANDOM, Scale::FULL);
    assert!(random.wa > 2.0, "{}", random.wa);
    let expected = sequential.host_bytes * sequential.wa / random.wa;
    let off = random.host_bytes / expected - 1.0;
    assert!(off.abs() < 0.05, "{off}");
    let spare = even(&["spare.op=0.5"]);
    let wide = life_of(&spare, RANDOM, Scale::FULL);
    assert!(wide.wa < 0.8 * random.wa, "{} {}", wide.wa, random.wa);
}

#[test]
fn a_scaled_life_is_that_of_the_full_drive() {
    let roomy = || even(&["spare.op=0.3"]);
    let full = life_of(&roomy(), RANDOM, Scale::FULL);
    for scale in [
        Scale {
            blocks: 1,
            pages: 1,
            cycles: 2,
        },
        Scale {
            blocks: 2,
            pages: 1,
            cycles: 1,
        },
        Scale {
            blocks: 1,
            pages: 2,
            cycles: 1,
        },
    ] {
        let scaled = life_of(&roomy(), RANDOM, scale);
        let off = scaled.host_bytes / full.host_bytes - 1.0;
        // The reserve does not shrink, so half of the blocks have a little less spare area.
        assert!(off.abs() < 0.12, "{scale:?}: {off}");
    }
}

#[test]
fn longer_lives_of_some_blocks_are_used() {
    // The spread of lives ends the drive before its median block, and spare blocks put that off.
    let spread = |op: &str| {
        let life_shape = "reliability.life_shape=4";
        life_of(&even(&[life_shape, op]), SEQUENTIAL, Scale::FULL).host_bytes
    };
    let (narrow, wide) = (spread("spare.op=0.07"), spread("spare.op=0.4"));
    assert!(wide > 1.2 * narrow, "{narrow} {wide}");
}

#[test]
fn a_plan_stays_within_its_programs() {
    let file = even(&[
        "reliability.rated_cycles=5000",
        "reliability.median_cycles=5000",
    ]);
    let extent = file.extent().unwrap();
    let all = extent.pages as f64 * 5000.0;
    let plan = Plan::within(&file, all / 100.0).unwrap();
    assert!(plan.scale.bytes() >= 50.0, "{plan:?}");
    let scaled = file.scaled(plan.scale).unwrap().extent().unwrap();
    let programs = scaled.pages as f64 * f64::from(scaled.median_cycles.unwrap());
    assert!(programs < all / 50.0, "{plan:?}");
    assert_eq!(Plan::within(&file, 1e30).unwrap().scale, Scale::FULL);
}

#[test]
fn what_cannot_be_lived_is_refused() {
    let testbed = Testbed::load("anandtech-2008").unwrap();
    let job = |text| JobFile::parse(text, "test.fio").unwrap();
    let full = Plan { scale: Scale::FULL };
    let try_it = |file: &DriveFile, text| {
        live(
            file,
            &job(text),
            &full,
            DAILY,
            &testbed,
            RootSeed(1),
            &ftlab_states::watch::nobody,
        )
        .unwrap_err()
    };
    let reads = try_it(&even(&[]), "[r]\nrw=randread\nsize=1m");
    assert!(matches!(reads, EnduranceError::NoWrites), "{reads}");
    let plain = Catalog::default().load("generic-mlc-8", &[]).unwrap();
    let forever = Plan::within(&plain, 1e6).unwrap_err().to_string();
    assert!(
        forever.contains("last for ever; give reliability.rated_cycles"),
        "{forever}"
    );
    let disk = Catalog::default()
        .load("seagate-momentus-7200.2", &[])
        .unwrap();
    assert!(Plan::within(&disk, 1e6).is_err());
}

#[test]
fn what_smart_counts_is_what_the_full_drive_took() {
    let file = even(&["spare.op=0.3"]);
    let rated = file.rated_cycles();
    let scale = Scale {
        blocks: 2,
        pages: 1,
        cycles: 2,
    };
    let life = life_of(&file, RANDOM, scale);
    // The first fill erases nothing, so it counts little only later.
    for mark in life.marks.iter().filter(|mark| mark.worn_share > 0.3) {
        let health = &mark.of_full;
        // The drive was filled before the host bytes of its life are counted.
        let written = health.host_bytes_written as f64;
        assert!(
            written >= mark.host_bytes,
            "{written} of {}",
            mark.host_bytes
        );
        assert_eq!(health.rated_cycles, rated);
        // Bytes programmed are what wears: cycles of all blocks times their size.
        let cycles = health.wear.mean() * f64::from(health.wear.blocks()) * 16.0 * 4096.0;
        let share = health.nand_bytes_programmed as f64 / cycles;
        assert!(
            (0.95..1.15).contains(&share),
            "{share} at {}",
            mark.worn_share
        );
    }
    let shares = |health: &Health| (health.worn_share(), health.spare_share());
    let end = life.marks.last().unwrap();
    assert_eq!(shares(&end.health), shares(&end.of_full));
}
