use super::writes::{IMAGE_SECTORS, PROGRAMMED_MAX};
use super::*;
use ftlab_base::SECTOR_BYTES;
use ftlab_drive::Catalog;
use ftlab_drive::fake::Fake;
use ftlab_host::Testbed;

const SECTORS: u64 = 100_000;

fn fake(amplification: u64) -> Fake {
    let mut device = Fake::new(SECTORS);
    device.amplification = amplification;
    device
}

fn written(amplification: u64, from: State, to: State) -> u64 {
    let mut device = fake(amplification);
    prepare(&mut device, from, to, RootSeed(1)).unwrap();
    device.counters().host_bytes_written / SECTOR_BYTES
}

#[test]
fn each_state_adds_its_writes() {
    assert_eq!(written(2, State::New, State::New), 0);
    assert_eq!(written(2, State::New, State::Filled), SECTORS);
    assert_eq!(written(2, State::New, State::FilledRandom), SECTORS);
    assert_eq!(written(2, State::New, State::Used), SECTORS + SECTORS / 4);
    assert_eq!(written(2, State::Filled, State::Used), SECTORS / 4);
    assert_eq!(written(2, State::Used, State::Used), 0);
    // An image is as large as a drive that has no room for it.
    assert_eq!(written(2, State::Used, State::Restored), SECTORS);
    let mut large = Fake::new(2 * IMAGE_SECTORS);
    prepare(&mut large, State::Used, State::Restored, RootSeed(1)).unwrap();
    let image = large.counters().host_bytes_written / SECTOR_BYTES;
    assert_eq!(image, IMAGE_SECTORS);
    // A drive whose write amplification never changes needs the five rounds of a window.
    assert_eq!(written(2, State::New, State::Steady), 6 * SECTORS);
}

#[test]
fn a_drive_that_rewrites_blocks_is_spared() {
    let random = written(128, State::Filled, State::Used);
    let least = SECTORS * PROGRAMMED_MAX / 128;
    assert!((least..SECTORS / 8).contains(&random), "{random} sectors");
    let rounds = written(16, State::New, State::Steady) - SECTORS;
    let round = SECTORS * 4 / 16;
    let spared = 5 * round..10 * round;
    assert!(spared.contains(&rounds), "{rounds} sectors");
    let refused = prepare(&mut fake(128), State::New, State::FilledRandom, RootSeed(1));
    assert!(
        matches!(refused, Err(PrepareError::TooDear { .. })),
        "{refused:?}"
    );
}

#[test]
fn a_refused_write_ends_every_preparation() {
    for state in [
        State::Filled,
        State::FilledRandom,
        State::Used,
        State::Restored,
        State::Steady,
    ] {
        let mut device = fake(2);
        device.fails_from = 5;
        device.gives_reasons = true;
        let error = prepare(&mut device, State::New, state, RootSeed(1)).unwrap_err();
        assert_eq!(device.counters().host_ios, 6, "{state:?} stops at once");
        assert!(error.to_string().ends_with("it is worn out"), "{error}");
    }
}

#[test]
fn a_drive_that_never_settles_is_not_taken_for_steady() {
    let mut device = fake(1);
    device.is_restless = true;
    let settling = prepare(&mut device, State::New, State::Steady, RootSeed(1)).unwrap();
    let settling = settling.unwrap();
    assert!(!settling.settled);
    assert_eq!(settling.rounds.len(), 25);
    assert!(settling.words().contains("NOT steady after 25 rounds"));
}

#[test]
fn filling_at_random_writes_every_sector_of_the_last_place_once() {
    let testbed = Testbed::load("anandtech-2008").unwrap();
    let settings = ["nand.blocks_per_die=32", "nand.pages_per_block=32"].map(str::to_owned);
    let file = Catalog::default().load("generic-mlc-8", &settings).unwrap();
    let mut device = file.build(&testbed, RootSeed(1)).unwrap();
    prepare(&mut *device, State::New, State::FilledRandom, RootSeed(1)).unwrap();
    let counters = device.counters();
    assert_eq!(counters.host_bytes_written, file.capacity_bytes());
    // Nothing was written twice, so nothing was collected and every slot is programmed once.
    assert!(counters.nand_bytes_programmed <= file.capacity_bytes());
    assert_eq!(counters.moved_programs, 0);
}

#[test]
fn names_lead_back() {
    for state in State::ALL {
        assert_eq!(State::named(state.name()), Some(state));
        assert!(!state.steps().is_empty());
        assert!(State::New.leads_to(state));
    }
    assert_eq!(State::named("unstated"), None);
    assert!(!State::Used.leads_to(State::Steady));
    assert_eq!(State::Used.steps().len(), 2);
}

#[test]
fn a_fast_start_is_refused_where_nothing_is_known() {
    let refused = prepare(&mut fake(2), State::New, State::SteadyFast, RootSeed(1));
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("page mapping"), "{message}");
    assert!(message.contains("--state steady"), "{message}");
}

#[test]
fn whoever_waits_hears_of_every_stage_and_how_far_it_is() {
    let told = std::sync::Mutex::new(Vec::new());
    let watch = |what: &str, share: Option<f64>| {
        told.lock().unwrap().push((what.to_owned(), share.unwrap()));
        Ok(())
    };
    let way = (State::New, State::Steady);
    prepare_with(&mut fake(2), way, RootSeed(1), Content::RANDOM, &watch).unwrap();
    let told = told.into_inner().unwrap();
    let mut stages: Vec<&str> = told.iter().map(|(what, _)| what.as_str()).collect();
    stages.dedup();
    assert_eq!(stages[0], "preparing, steady");
    assert_eq!(stages[1], "preparing, steady: round 1 of 25 at most");
    assert_eq!(stages[5], "preparing, steady: round 5 of 25 at most");
    assert_eq!(stages.len(), 6);
    for stage in stages {
        let shares: Vec<f64> = (told.iter())
            .filter(|(what, _)| what == stage)
            .map(|(_, share)| *share)
            .collect();
        assert!(shares.is_sorted() && shares[0] >= 0.0 && *shares.last().unwrap() < 1.0);
    }
}
