//! Plans of a small drive: what does not depend on how good a model is.

use super::*;
use ftlab_drive::Catalog;
use ftlab_lab::Lab;
use ftlab_play::load::{Load, What};
use ftlab_result::plan::{AtRate, Goal, Plan, Point};
use ftlab_states::State;

/// Four dies of 256 blocks of 32 pages: 128 MiB of flash, quick to settle.
const SMALL: [&str; 4] = [
    "nand.channels=2",
    "nand.dies_per_channel=2",
    "nand.blocks_per_die=256",
    "nand.pages_per_block=32",
];

const UNIFORM: &str =
    "[w]\nrw=randwrite\nbs=4k\nnorandommap\nrandrepeat=0\nsize=100%\nloops=6\niodepth=8\n";

fn drive(slug: &str, settings: &[&str]) -> DriveFile {
    let settings: Vec<String> = settings.iter().map(|&setting| setting.to_owned()).collect();
    Catalog::default().load(slug, &settings).unwrap()
}

fn asked(job: &str) -> Planning {
    let what = What::job(job, "mine.fio").unwrap();
    let load = Load::of_text("mine.fio", job, 1, what);
    Planning {
        drives: vec![drive("generic-mlc-8", &SMALL)],
        load: OwnLoad {
            name: "mine".to_owned(),
            load,
        },
        state: State::Filled,
        bytes_per_day: Some(1e9),
        goals: Vec::new(),
        spares: Vec::new(),
        rates: Vec::new(),
        length: Length::Quick,
        testbed: None,
        shrink_to: None,
        seed: RootSeed(1),
    }
}

fn results(planning: Planning, threads: usize) -> Result<ResultSet, Arc<LabError>> {
    let asked = planning.batch().map_err(Arc::new)?;
    let lab = Lab::new(threads, 1 << 32).unwrap();
    let ends = ask::run(&asked, &lab, &|_, _| Ok(())).unwrap();
    match ends.error(0..asked.cells().len()) {
        Some(error) => Err(Arc::clone(error)),
        None => Ok(asked.set(&ends, "")),
    }
}

fn planned(planning: Planning) -> ResultSet {
    results(planning, 2).unwrap()
}

fn only(set: &ResultSet) -> &Plan {
    let [plan] = &set.plans[..] else {
        panic!("{} plans", set.plans.len());
    };
    plan
}

fn near(value: f64, wanted: f64, share: f64) {
    assert!((value / wanted - 1.0).abs() < share, "{value} for {wanted}");
}

#[test]
fn years_follow_from_write_amplification_rate_and_cycles() {
    let set = planned(asked(UNIFORM));
    let plan = only(&set);
    let (wa, wear) = (plan.now.wa.unwrap(), plan.now.wear.unwrap());
    near(wa, plan.now.closed_form_wa.unwrap(), 0.02);
    // 4 dies × 256 blocks × 32 pages × 4 KiB, 5,000 times, at 10^9 bytes a day.
    let flash = 4.0 * 256.0 * 32.0 * 4096.0;
    near(wear.flash_bytes_per_day, 1e9 * wa, 1e-9);
    near(
        wear.rated_years.unwrap(),
        5000.0 * flash / (1e9 * wa) / 365.0,
        1e-9,
    );
    near(
        wear.used_pct_5_years.unwrap() * wear.rated_years.unwrap(),
        500.0,
        1e-9,
    );
    assert!(plan.now.settled && plan.curve.len() == 1);
    let dwpd = plan.host_drive_writes_per_day.unwrap();
    near(dwpd, 1e9 / plan.capacity_bytes as f64, 1e-9);
    // 10^9 bytes a day are 2.83 writes of 4 KiB a second.
    let writes = plan.write.unwrap();
    near(writes.iops, 1e9 / 86_400.0 / 4096.0, 0.02);
    assert!(plan.read.is_none() && writes.p50_ns <= writes.p99_ns);
    let run = set.run("generic-mlc-8/mine/settled").unwrap();
    assert_eq!(run.metrics["wa"], wa);
    assert_eq!(run.metrics["lifetime_years"], wear.rated_years.unwrap());
}

#[test]
fn goals_are_met_by_the_least_spare_area_and_by_the_closed_form() {
    let asked = Planning {
        goals: vec![(Measure::Wa, 2.0), (Measure::LifeYears, 1.0)],
        spares: vec![0.3, 0.8],
        ..asked(UNIFORM)
    };
    let drive = asked.drives[0].clone();
    let set = planned(asked);
    let plan = only(&set);
    let spares: Vec<f64> = plan.curve.iter().filter_map(|point| point.spare).collect();
    assert!(spares.is_sorted() && spares.len() == 3, "{spares:?}");
    let falling = |of: fn(&Point) -> Option<f64>| {
        let values: Vec<f64> = plan.curve.iter().filter_map(of).collect();
        assert!(
            values.is_sorted_by(|a, b| a > b) && values.len() == 3,
            "{values:?}"
        );
    };
    falling(|point| point.wa);
    falling(|point| point.closed_form_wa);
    let [wa, life] = &plan.goals[..] else {
        panic!("{:?}", plan.goals);
    };
    let reached = |goal: &Goal| (goal.spare.unwrap(), goal.reached.unwrap());
    let (spare, value) = reached(wa);
    near(value, 2.0, 0.003);
    near(spare, wa.closed_form_spare.unwrap(), 0.03);
    let file = drive.with_spare(spare).unwrap();
    assert_eq!(wa.capacity_bytes, Some(file.capacity_bytes()));
    let (spare, years) = reached(life);
    near(years, 1.0, 0.003);
    near(spare, life.closed_form_spare.unwrap(), 0.03);
    assert!(wa.is_least && life.is_least);
    // Each spare area is a step of one family.
    let steps: Vec<&str> = set.tests[1..]
        .iter()
        .map(|test| test.step.as_str())
        .collect();
    assert_eq!(steps, ["12.7 %", "30 %", "80 %"]);
    for test in &set.tests[1..] {
        assert!(
            set.runs.iter().any(|run| run.test == test.test),
            "{}",
            test.test
        );
    }
}

#[test]
fn a_goal_that_no_spare_area_reaches_says_what_is_nearest() {
    let asked = Planning {
        goals: vec![(Measure::LifeYears, 1e5), (Measure::P99Ns, 1.0)],
        ..asked(UNIFORM)
    };
    let set = planned(asked);
    for goal in &only(&set).goals {
        assert_eq!((goal.spare, goal.capacity_bytes), (None, None), "{goal:?}");
        assert!(
            goal.words
                .starts_with("No spare area up to 400.0 % does. Nearest, there: "),
            "{goal:?}"
        );
    }
    let rate = only(&set).highest_rate.as_ref().unwrap();
    assert_eq!(rate.iops, None);
    assert!(rate.words.starts_with("No rate keeps 1 ns"), "{rate:?}");
}

#[test]
fn a_goal_that_every_spare_area_meets_is_met_by_the_least_that_can_be() {
    // Below the spare area of the curve this drive cannot be made.
    let set = planned(Planning {
        goals: vec![(Measure::P99Ns, 1e12)],
        spares: vec![0.28],
        ..asked(UNIFORM)
    });
    let [goal] = &only(&set).goals[..] else {
        panic!("one goal");
    };
    let spare = goal.spare.expect("it is met");
    assert!(spare < 0.13 && !goal.is_least, "{goal:?}");
    assert!(goal.reached.unwrap() < 1e12 && goal.capacity_bytes.is_some());
    assert!(
        goal.words
            .contains("is the least that was looked at, and does"),
        "{goal:?}"
    );
}

#[test]
fn a_load_at_other_rates_is_a_curve_up_to_where_a_drive_falls_behind() {
    let set = planned(Planning {
        rates: vec![50.0, 200.0, 1e6],
        ..asked(UNIFORM)
    });
    let plan = only(&set);
    let [slow, fast, beyond] = &plan.rates[..] else {
        panic!("{:?}", plan.rates);
    };
    for (at, iops) in [(slow, 50.0), (fast, 200.0)] {
        assert!(at.keeps_up && at.read.is_none(), "{at:?}");
        near(at.iops, iops, 0.05);
        near(at.write.unwrap().iops, iops, 0.05);
    }
    assert!(!beyond.keeps_up && beyond.iops < 1e5, "{beyond:?}");
    let p99 = |at: &AtRate| at.write.unwrap().p99_ns;
    assert!(
        p99(slow) <= p99(fast) && p99(fast) < p99(beyond) / 10,
        "{:?}",
        plan.rates
    );
    assert!(
        plan.notes
            .iter()
            .any(|note| note.contains("FALLS BEHIND at 1,000,000 requests a second"))
    );
    // Each rate is a step of one test, with the percentiles of its own run.
    let steps: Vec<&str> = (set.tests.iter()).map(|test| test.step.as_str()).collect();
    assert_eq!(steps, ["", "50/s", "200/s", "1,000,000/s"]);
    let run = set.run("generic-mlc-8/mine-rate-200/settled").unwrap();
    assert_eq!(run.write.iops, fast.write.unwrap().iops);
}

#[test]
fn what_has_a_pace_of_its_own_has_no_other_rates() {
    let set = planned(Planning {
        rates: vec![50.0],
        ..asked(
            "[a]\nrw=randwrite\nbs=4k\nnumber_ios=5000\n[b]\nstonewall\nrw=randwrite\nbs=4k\nnumber_ios=5000\n",
        )
    });
    let plan = only(&set);
    assert!(plan.rates.is_empty());
    let why = "The load cannot run at other rates: its jobs run one after the other.";
    assert!(
        plan.notes.iter().any(|note| note == why),
        "{:?}",
        plan.notes
    );
}

#[test]
fn the_highest_rate_keeps_the_latency_and_a_higher_one_does_not() {
    let asked = Planning {
        bytes_per_day: None,
        goals: vec![(Measure::P99Ns, 5e6)],
        ..asked(UNIFORM)
    };
    let set = planned(asked);
    let rate = only(&set).highest_rate.clone().unwrap();
    let iops = rate.iops.unwrap();
    assert!(rate.reached_ns.unwrap() <= 5_050_000, "{rate:?}");
    let p99_at = |factor: f64| {
        let at = Planning {
            bytes_per_day: Some(iops * factor * 4096.0 * 86_400.0),
            goals: Vec::new(),
            ..self::asked(UNIFORM)
        };
        only(&planned(at)).now.p99_ns.unwrap()
    };
    assert!(p99_at(0.9) <= 5_050_000);
    assert!(p99_at(1.1) > 5_050_000);
}

#[test]
fn a_rate_that_a_drive_does_not_keep_up_with_is_told() {
    let told = |bytes_per_day| {
        let set = planned(Planning {
            bytes_per_day: Some(bytes_per_day),
            ..asked(UNIFORM)
        });
        let mut notes = only(&set).notes.iter();
        notes.any(|note| note.contains("FALLS BEHIND"))
    };
    assert!(told(50e12) && !told(10e9));
}

#[test]
fn a_load_too_short_to_settle_is_repeated_and_says_so() {
    // A hundredth of the drive at a time.
    let set = planned(asked("[w]\nrw=randwrite\nbs=4k\nnumber_ios=300\n"));
    let plan = only(&set);
    assert!(plan.now.settled, "{:?}", plan.notes);
    near(
        plan.now.wa.unwrap(),
        plan.now.closed_form_wa.unwrap_or(4.3),
        0.1,
    );
    let told = plan
        .notes
        .iter()
        .any(|note| note.contains("played ") && note.contains(" times, until"));
    assert!(told, "{:?}", plan.notes);
}

#[test]
fn what_writes_nothing_is_refused() {
    let asked = asked("[r]\nrw=randread\nbs=4k\nnumber_ios=100\n");
    let error = results(asked, 1).unwrap_err();
    assert!(
        error.is_input()
            && error
                .to_string()
                .starts_with("generic-mlc-8: the load writes nothing")
    );
}

#[test]
fn a_drive_without_such_a_spare_area_has_no_curve_and_says_why() {
    let job = "[w]\nrw=randwrite\nbs=4k\nnorandommap\nsize=100%\n";
    let small = [
        "nand.blocks_per_die=128",
        "nand.pages_per_block=16",
        "spare.op=0.15",
    ];
    for (slug, settings, why) in [
        ("seagate-momentus-7200.2", &[][..], "The drive has no flash"),
        (
            "ocz-core-jmf602",
            &small[..],
            "a block map merges in log blocks",
        ),
    ] {
        let asked = Planning {
            drives: vec![drive(slug, settings)],
            goals: vec![(Measure::Wa, 2.0)],
            ..asked(job)
        };
        let set = planned(asked);
        let plan = only(&set);
        assert!(plan.curve.is_empty() && plan.goals.is_empty());
        assert!(
            plan.notes.iter().any(|note| note.contains(why)),
            "{:?}",
            plan.notes
        );
        assert!(plan.write.is_some());
    }
}

#[test]
fn threads_and_other_drives_change_no_number() {
    let two = Planning {
        drives: vec![
            drive("generic-mlc-8", &SMALL),
            drive("seagate-momentus-7200.2", &[]),
        ],
        ..asked("[w]\nrw=randwrite\nbs=4k\nnorandommap\nnumber_ios=40000\nsize=100m\n")
    };
    let alone = Planning {
        drives: vec![drive("generic-mlc-8", &SMALL)],
        ..asked("[w]\nrw=randwrite\nbs=4k\nnorandommap\nnumber_ios=40000\nsize=100m\n")
    };
    let one = results(alone, 1).unwrap();
    let both = planned(two);
    assert_eq!(one.plans[0], both.plans[0]);
    assert_eq!(both.plans.len(), 2);
}

/// The most that a figure of a drive's small form may be off, as a share.
const OF_SMALL_FORM: [(&str, f64); 4] = [
    ("write amplification", 0.03),
    ("median of reads", 0.03),
    ("99th percentile of reads", 0.10),
    ("years", 0.05),
];

#[test]
#[ignore = "minutes: make soak"]
fn a_drive_of_64_gb_and_its_small_form_answer_alike() {
    let sixty_four = [
        "nand.pages_per_block=138",
        "spare.user_capacity=64000000000B",
    ];
    for (slug, settings, iops) in [
        ("crucial-m4-64", &[][..], "2100,900"),
        ("samsung-pm9a3-960", &sixty_four[..], "21000,9000"),
    ] {
        let job = format!(
            "[mixed]\nrw=randrw\nrwmixread=70\nbs=8k\nsize=100%\niodepth=64\ntime_based\nruntime=20\nrate_iops={iops}\n\
             rate_process=poisson\n"
        );
        let figures = |shrink_to| {
            let set = planned(Planning {
                drives: vec![drive(slug, settings)],
                bytes_per_day: Some(20e9),
                shrink_to,
                ..asked(&job)
            });
            let plan = only(&set);
            let read = plan.read.unwrap();
            let years = plan.now.wear.unwrap().years().unwrap();
            [
                plan.now.wa.unwrap(),
                read.p50_ns as f64,
                read.p99_ns as f64,
                years,
            ]
        };
        let (whole, small) = (figures(None), figures(Some(SHRINK_TO)));
        for ((name, share), (whole, small)) in OF_SMALL_FORM.iter().zip(whole.iter().zip(small)) {
            let off = (small / whole - 1.0).abs();
            assert!(off <= *share, "{slug}: {name} {small} for {whole}");
        }
    }
}

#[test]
fn a_large_drive_is_simulated_in_its_small_form_and_answers_for_its_own_size() {
    let whole = asked(UNIFORM);
    let bytes = whole.drives[0].capacity_bytes();
    let small = Planning {
        shrink_to: Some(bytes / 2),
        ..asked(UNIFORM)
    };
    let (whole, small) = (planned(whole), planned(small));
    let (whole, small) = (only(&whole), only(&small));
    assert_eq!(small.capacity_bytes, bytes);
    assert_eq!(small.flash_bytes, whole.flash_bytes);
    let words = small.notes[0].as_str();
    assert!(
        words.contains("2 times smaller") || words.contains("2.0"),
        "{words}"
    );
    let [of_whole, of_small] = [whole, small].map(|plan| plan.now.wa.unwrap());
    // Blocks of 16 pages are far smaller than any drive has.
    assert!(
        (of_small / of_whole - 1.0).abs() < 0.15,
        "{of_small} for {of_whole}"
    );
    // A recorded trace keeps its addresses, and a block map the size of its blocks.
    let block_mapped = Planning {
        drives: vec![drive("ocz-core-jmf602", &[])],
        ..asked(UNIFORM)
    };
    assert_eq!(
        super::drive::shrink_to(&block_mapped, &block_mapped.drives[0]),
        None
    );
}

#[test]
fn years_are_those_of_the_announced_amount_where_the_file_has_no_cycles() {
    let announced = ["reliability.rated_bytes=1TB"];
    let without = Planning {
        drives: vec![drive("samsung-pm9a3-960", &announced)],
        goals: vec![(Measure::LifeYears, 5.0)],
        bytes_per_day: Some(1e9),
        shrink_to: Some(100_000_000),
        ..asked("[w]\nrw=randwrite\nbs=4k\nsize=100%\niodepth=8\n")
    };
    let set = planned(without);
    let plan = only(&set);
    let wear = plan.now.wear.unwrap();
    let years = 1e12 / 1e9 / 365.0;
    assert!((wear.years().unwrap() / years - 1.0).abs() < 1e-9);
    assert_eq!(
        (wear.rated_years, plan.rated_bytes),
        (None, Some(1_000_000_000_000))
    );
    // No spare area makes the amount larger, and none is looked for.
    let [goal] = &plan.goals[..] else {
        panic!("one goal was asked: {:?}", plan.goals);
    };
    assert_eq!((goal.spare, goal.reached), (None, wear.years()));
    assert!(
        goal.words.contains("whatever the drive programs"),
        "{}",
        goal.words
    );
}
