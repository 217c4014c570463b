//! Reviews of small drives: what does not depend on how good a model is.

use super::*;
use crate::loads::OwnLoad;
use crate::suites;
use ftlab_base::Blame;
use ftlab_drive::{Catalog, DriveFile};
use ftlab_lab::{Event, Store};
use ftlab_play::load::{Load, What};
use ftlab_result::Run;
use std::sync::Mutex;

fn plan(drives: &[&str], tests: &[&str]) -> Review {
    let tests: Vec<String> = tests.iter().map(|&test| test.to_owned()).collect();
    let drive = |drive: &&str| Catalog::default().load(drive, &[]).unwrap().into();
    let drives = drives.iter().map(drive).collect();
    Review::of(drives, suites::select(&tests).unwrap(), RootSeed(1))
}

fn lab(threads: usize) -> Lab {
    Lab::new(threads, 1 << 32).unwrap()
}

fn review(review: &Review) -> Result<ResultSet, Arc<LabError>> {
    review.clone().results(&lab(2), &|_, _| Ok(()))
}

/// A review, and what was said of each part that was done.
fn told(review: &Review) -> (ResultSet, Vec<String>) {
    let labels = Mutex::new(Vec::new());
    let asked = review.clone().batch().unwrap();
    let ends = ask::run(&asked, &lab(1), &|n, event| {
        if let Event::Part(label) = event {
            let remark = asked.remark(n);
            labels.lock().unwrap().push(format!("{label}{remark}"));
        }
        Ok(())
    });
    (asked.set(&ends.unwrap(), ""), labels.into_inner().unwrap())
}

const DISKS: [&str; 2] = ["seagate-momentus-7200.2", "wd-velociraptor-300"];

#[test]
fn threads_change_nothing() {
    let review = |threads| {
        let review = plan(&DISKS, &["A1", "A3"]);
        review.results(&lab(threads), &|_, _| Ok(())).unwrap()
    };
    let alone = review(1);
    assert_eq!(alone, review(2));
    assert_eq!(alone.runs.len(), 2 * 5);
}

#[test]
fn another_seed_gives_other_runs() {
    let of_seed = |seed| {
        let plan = Review {
            seed: RootSeed(seed),
            ..plan(&DISKS[..1], &["A1"])
        };
        review(&plan).unwrap().runs
    };
    assert_ne!(of_seed(1), of_seed(2));
}

/// A review that makes each run so often.
fn repeated(drives: &[&str], tests: &[&str], repeats: u32, lab: &Lab) -> ResultSet {
    let review = Review {
        repeats,
        ..plan(drives, tests)
    };
    review.results(lab, &|_, _| Ok(())).unwrap()
}

#[test]
fn repeats_differ_where_chance_is_at_work_and_agree_where_none_is() {
    let tests = ["randwrite-4k-qd1", "seqwrite-2m", "spare-area"];
    let set = repeated(&["generic-mlc-8"], &tests, 3, &lab(2));
    assert_eq!(set.origin.repeats, 3);
    let spread = |test: &str, metric: &str| {
        let of_test = |run: &&Run| run.test == test && run.metrics.contains_key(metric);
        let run = set.runs.iter().find(of_test).unwrap();
        let spread = &run.spread[metric];
        assert_eq!(spread.values.len(), 3);
        let values: Vec<f64> = spread.values.iter().copied().flatten().collect();
        let mean = values.iter().sum::<f64>() / 3.0;
        assert!((run.metrics[metric] / mean - 1.0).abs() < 1e-12);
        (spread.depends_on_seed, spread.ci95_half_width.unwrap())
    };
    let (depends, half_width) = spread("randwrite-4k-qd1", "iops");
    assert!(depends && half_width > 0.0, "{half_width}");
    assert_eq!(spread("seqwrite-2m", "mb_s"), (false, 0.0));
    assert_eq!(spread("spare-area", "spare_pct_of_raw"), (false, 0.0));
}

#[test]
fn the_first_of_repeats_is_what_a_single_run_is() {
    // A drive in use, so that what leads up to the run depends on the seed, too; its jobs span 8 GiB.
    let settings = ["nand.blocks_per_die=1024".to_owned()];
    let used = |seed, repeats| {
        let plan = Review {
            drives: vec![
                Catalog::default()
                    .load("generic-mlc-8", &settings)
                    .unwrap()
                    .into(),
            ],
            length: Length::Quick,
            seed,
            repeats,
            ..plan(&[], &["randwrite-4k-qd3-8gb"])
        };
        let set = review(&plan).unwrap();
        let run = set.runs.iter().find(|run| run.state == "seasoned").unwrap();
        run.clone()
    };
    let (once, thrice) = (used(RootSeed(1), 1), used(RootSeed(1), 3));
    assert!(once.spread.is_empty());
    for (name, value) in &once.metrics {
        assert_eq!(thrice.spread[name].values[0], Some(*value), "{name}");
    }
    assert_eq!(
        (&once.write, once.inside()),
        (&thrice.write, thrice.inside())
    );
    assert!(thrice.spread["iops"].depends_on_seed);
    // Any other is the review of its seed.
    for (name, value) in &used(repeats::seed(RootSeed(1), 2), 1).metrics {
        assert_eq!(thrice.spread[name].values[2], Some(*value), "{name}");
    }
}

#[test]
fn neither_threads_nor_memory_change_repeats() {
    let alone = repeated(&DISKS, &["A1"], 3, &lab(1));
    assert_eq!(alone, repeated(&DISKS, &["A1"], 3, &lab(4)));
    // As if there were room for one drive at a time.
    let narrow = Lab::new(4, 0).unwrap();
    assert_eq!(alone, repeated(&DISKS, &["A1"], 3, &narrow));
}

#[test]
fn every_repeat_is_told_of_while_it_runs() {
    let review = Review {
        repeats: 2,
        ..plan(&DISKS[..1], &["randwrite-4k-qd1"])
    };
    let (_, labels) = told(&review);
    assert_eq!(labels.len(), 2);
    assert!(labels[0].ends_with("(new), repeat 1 of 2"), "{labels:?}");
    assert!(labels[1].ends_with("(new), repeat 2 of 2"), "{labels:?}");
}

#[test]
fn a_job_shared_by_steps_runs_once() {
    let (set, labels) = told(&plan(&DISKS[..1], &["A1", "A2", "A3", "A4"]));
    assert_eq!(labels.len(), 14);
    assert_eq!(set.runs.len(), 17);
    let metrics = |test: &str| {
        let run = set.runs.iter().find(|run| run.test == test).unwrap();
        run.metrics.clone()
    };
    assert_eq!(
        metrics("randwrite-4k-qd1"),
        metrics("seqrand-mix-4k-qd1-seq0")
    );
}

#[test]
fn a_disk_runs_once_and_answers_for_every_state() {
    let set = review(&plan(&DISKS[1..], &["B1"])).unwrap();
    let states: Vec<_> = set.runs.iter().map(|run| run.state.as_str()).collect();
    assert_eq!(states, ["new", "seasoned"]);
    assert_eq!(set.runs[0].metrics, set.runs[1].metrics);
    assert!(set.runs[0].steps[0].starts_with("None"));
}

/// A small drive on a link of 6 Gbit/s.
fn small(settings: &[&str]) -> DriveFile {
    let small = [
        "nand.blocks_per_die=64",
        "link.rate=600",
        "link.command=2us",
    ];
    let settings: Vec<String> = small
        .iter()
        .chain(settings)
        .map(ToString::to_string)
        .collect();
    Catalog::default().load("generic-mlc-8", &settings).unwrap()
}

fn review_of(file: DriveFile, tests: &[&str]) -> ResultSet {
    let plan = Review {
        drives: vec![file.into()],
        ..plan(&[], tests)
    };
    review(&plan).unwrap()
}

#[test]
fn a_fast_drive_runs_on_a_slow_port_as_well_and_a_slow_one_does_not() {
    let set = review_of(small(&[]), &["seqread-2m"]);
    let links: Vec<_> = set.runs.iter().map(|run| run.link.as_str()).collect();
    assert_eq!(links, ["sata6g", "sata3g"]);
    assert!(set.runs[1].id.ends_with("filled/sata3g"));
    assert!(
        set.runs[0]
            .notes
            .iter()
            .any(|step| step.contains("BeHardware 2011"))
    );
    let slow = review_of(small(&["link.rate=300"]), &["seqread-2m"]);
    let links: Vec<_> = slow.runs.iter().map(|run| run.link.as_str()).collect();
    assert_eq!(links, ["sata3g"]);
    // What the flash gives is above neither port's rate; what the buffer gives would be.
    assert!(set.runs[0].metrics["mb_s"] >= set.runs[1].metrics["mb_s"]);
}

#[test]
fn what_compresses_is_read_from_a_drive_that_was_filled_with_the_like() {
    // Channels are the limit, unless hardly anything has to cross them.
    let settings = [
        "nand.blocks_per_die=64",
        "nand.channel_rate=20",
        "spare.op=0.9",
        "gc.reserve=2",
    ];
    let file = Catalog::default()
        .load("ocz-vertex3-120", &settings.map(str::to_owned))
        .unwrap();
    let set = review_of(file, &["seqread-2m"]);
    let of = |data: &str| {
        let mut runs = set.runs.iter().filter(|run| run.data == data);
        let run = runs.find(|run| run.link == "sata6g").unwrap();
        let alike = run
            .steps
            .iter()
            .any(|step| step == ftlab_lab::WRITTEN_ALIKE);
        (run.metrics["mb_s"], alike)
    };
    let ((hard, not_alike), (easy, alike)) = (of("incompressible"), of("compressible"));
    assert!(alike && !not_alike);
    assert!(hard < 170.0 && easy > 2.0 * hard, "{hard} and {easy} MB/s");
}

#[test]
fn a_drive_without_room_for_a_scenario_is_spared_it_unless_it_is_named() {
    let of = |is_everything| {
        let plan = Review {
            drives: vec![small(&[]).into()],
            is_everything,
            ..plan(&[], &["webpage-load-while-extract-5gb"])
        };
        review(&plan)
    };
    assert!(of(true).unwrap().runs.is_empty());
    let error = of(false).unwrap_err();
    assert!(error.is_input(), "{error}");
    assert!(error.to_string().contains("smaller `at`"), "{error}");
}

#[test]
fn a_drive_that_fails_leaves_the_others_their_runs() {
    let mut review = plan(&DISKS[1..], &["webpage-load-while-extract-5gb"]);
    review.drives.insert(0, small(&[]).into());
    let asked = review.batch().unwrap();
    let ends = ask::run(&asked, &lab(2), &|_, _| Ok(())).unwrap();
    let errors: Vec<(usize, bool)> = asked
        .errors(&ends)
        .map(|(drive, error)| (drive, error.is_input()))
        .collect();
    assert_eq!(errors, [(0, true)]);
    let set = asked.set(&ends, "");
    assert_eq!((set.drives.len(), set.runs.len()), (1, 1));
    assert_eq!(set.unfinished[0].drive, "generic-mlc-8");
}

#[test]
fn cells_that_run_later_give_what_they_give_at_once_and_after_a_store() {
    // Jobs from two states, what a life wears, and a procedure.
    let mut review = plan(&[], &["A1", "B1", "A22", "C10"]);
    review.drives = vec![small(&["nand.blocks_per_die=768"]).into()];
    (review.repeats, review.length) = (2, Length::Quick);
    let whole = self::review(&review).unwrap();
    let asked = review.batch().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cells");
    let store = Mutex::new(Store::new(&path, "").unwrap());
    let all = 0..asked.cells().len();
    // One after the other, the last one first: each prepares its own state.
    for n in all.clone().rev() {
        let kept = lab(1).run_some(asked.cells(), &[n], &|n, event| {
            if let Event::Done(end) = event {
                let (id, outcomes) = (asked.cells()[n].id(), end.unwrap());
                store.lock().unwrap().put(&id, &outcomes).unwrap();
            }
            Ok(())
        });
        kept.unwrap();
    }
    let store = Store::open(&path, "").unwrap();
    assert_eq!(store.len(), asked.cells().len(), "no two have the same id");
    let mut ends = Ends::none(&asked);
    assert_eq!(ends.missing(), all.clone().collect::<Vec<_>>());
    for n in all {
        let outcomes = store.outcomes(&asked.cells()[n].id()).unwrap();
        ends.take(&asked, n, Ok(outcomes));
    }
    // A drive as new that is a copy lays its first pages elsewhere than one that is used up: no number differs.
    let without_places = |mut set: ResultSet| {
        let insides = (set.runs.iter_mut()).filter_map(|run| run.at.first_mut()?.inside.as_mut());
        insides.for_each(|inside| inside.op_stream_hash.clear());
        set
    };
    let set = without_places(asked.set(&ends, ""));
    assert!(set == without_places(whole));
}

#[test]
fn a_drive_that_fails_keeps_the_tests_it_has_done() {
    let mut review = plan(&[], &["A1"]);
    let two = "[w]\nfilename=/dev/a:/dev/b\nrw=write\nnumber_ios=9\n";
    let what = What::job(two, "two.fio").unwrap();
    let load = Load::of_text("two.fio", two, 2, what);
    let name = "two".to_owned();
    review.loads.push(OwnLoad { name, load });
    review.drives = vec![small(&[]).into()];
    let asked = review.batch().unwrap();
    let ends = ask::run(&asked, &lab(1), &|_, _| Ok(())).unwrap();
    let set = asked.set(&ends, "");
    assert_eq!((set.drives.len(), set.runs.len()), (1, 1));
    let why = &set.unfinished[0].why;
    assert!(why.ends_with("; 1 of its 2 tests are done"), "{why}");
}

#[test]
fn work_that_is_ended_ends_soon_and_has_no_results() {
    let review = plan(&["generic-mlc-8"], &["randwrite-4k-qd1", "C10", "A22"]);
    for event_of_end in [1, 10, 40] {
        let heard = std::sync::atomic::AtomicUsize::new(0);
        let ended = review.clone().results(&lab(2), &|_, _| {
            let before = heard.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            match before < event_of_end {
                true => Ok(()),
                false => Err(Stopped.into()),
            }
        });
        assert!(ended.unwrap_err().is_stopped());
        // Each thread hears of the end once for each of its cells at most.
        assert!(heard.into_inner() < event_of_end + 16);
    }
}

#[test]
fn a_job_of_a_suite_is_not_cut_to_a_smaller_drive() {
    let mut plan = plan(&[], &["C10"]);
    plan.drives = vec![small(&[]).into()];
    let error = review(&plan).unwrap_err();
    assert!(error.is_input(), "{error}");
    let why = "it has 916 MB, which is too little for the files of trim-10gb-randwrite";
    assert!(error.to_string().ends_with(why), "{error}");
    plan.tests.extend(self::plan(&[], &["A1"]).tests);
    let set = review(&plan).unwrap();
    assert_eq!((set.runs.len(), set.unfinished.len()), (1, 1));
    assert!(set.unfinished[0].why.contains("trim-10gb-seqwrite"));
}

#[test]
fn a_scenario_runs_on_the_machine_of_its_review() {
    let set = review(&plan(&DISKS[1..], &["launch-photoshop-cs3"])).unwrap();
    let run = set.run("wd-velociraptor-300/launch-photoshop-cs3/restored");
    let run = run.expect("it ran");
    assert!(run.metrics["seconds"] > 1.0);
    assert_eq!(
        (run.link.as_str(), run.data.as_str()),
        ("sata3g", "incompressible")
    );
    assert!(run.notes[0].contains("AnandTech 2008"));
    assert_eq!(run.testbed, "anandtech-2008");
}

#[test]
fn a_procedure_goes_on_with_the_same_drive_and_says_what_it_did() {
    let set = review_of(small(&["nand.blocks_per_die=768"]), &["C10"]);
    let run = |test: &str, state: &str| {
        let id = format!("generic-mlc-8/{test}/{state}");
        set.run(&id).unwrap_or_else(|| panic!("no {id}"))
    };
    assert_eq!(set.runs.len(), 6);
    let mb_s = |test: &str, state: &str| run(test, state).metrics["mb_s"];
    let [new, used, trimmed] =
        ["new", "used", "after-trim"].map(|state| mb_s("trim-10gb-randwrite", state));
    assert!(
        used <= new * 1.001 && used <= trimmed * 1.001,
        "{new}, {used}, {trimmed}"
    );
    let last = &run("trim-10gb-seqwrite", "new").steps;
    assert!(last.iter().any(|step| step == "Secure erase."), "{last:?}");
    assert_eq!(run("trim-10gb-randwrite", "new").steps.len(), 2);
    let first_30s = run("trim-10gb-seqwrite", "used").metrics["mb_s_first_30s"];
    assert!(first_30s > 0.0);
}

#[test]
fn a_trace_is_played_once_for_all_its_charts_and_a_quick_one_in_part() {
    let review = Review {
        length: Length::Quick,
        ..plan(&DISKS[1..], &["D6"])
    };
    let (set, labels) = told(&review);
    assert_eq!(labels, ["wd-velociraptor-300 atsb2011-heavy (new)"]);
    // A disk has one state, which answers for the new drive and the filled one.
    let [rate, .., busy] = set.runs.as_slice() else {
        panic!("charts of rates and of times");
    };
    assert_eq!(rate.metrics, busy.metrics);
    assert_eq!(rate.read.ios + rate.write.ios, 150_000);
    let part = "Quick: the first 150000 of 3952340 requests.";
    assert!(rate.notes.iter().any(|note| note == part));
    let metric = |name: &str| rate.metrics[name];
    let moved_mb = (rate.read.bytes + rate.write.bytes) as f64 / 1e6;
    assert!((metric("mb_s") * metric("busy_s") / moved_mb - 1.0).abs() < 1e-9);
    let read_mb = rate.read.bytes as f64 / 1e6;
    assert!((metric("read_mb_s") * metric("busy_reads_s") / read_mb - 1.0).abs() < 1e-9);
    assert!(metric("busy_reads_s") + metric("busy_writes_s") > metric("busy_s"));
}

#[test]
fn a_disk_is_spared_what_only_flash_can() {
    let set = review(&plan(&DISKS[..1], &["C10", "E1", "spare-area", "B2"])).unwrap();
    let tests: Vec<_> = set.runs.iter().map(|run| run.test.as_str()).collect();
    assert_eq!(tests, ["randread-4k-qd3"]);
}

#[test]
fn a_test_that_does_not_fit_leaves_the_others_their_drive() {
    let set = review(&plan(&["ramdisk-8gb"], &["A1", "A9"])).unwrap();
    let tests: Vec<_> = set.runs.iter().map(|run| run.test.as_str()).collect();
    assert_eq!(tests, ["randwrite-4k-qd1"]);
    let [left_out] = set.unfinished.as_slice() else {
        panic!("{:?}", set.unfinished);
    };
    assert_eq!(left_out.drive, "ramdisk-8gb");
    assert!(
        left_out
            .why
            .contains("archive-create-200mb-while-extract-5gb")
    );
    // Alone, it is refused for the reason that its run gives.
    let error = review(&plan(&["ramdisk-8gb"], &["A9"]));
    assert!(error.is_err_and(|error| error.is_input()));
}

#[test]
fn by_need_what_figures_are_made_from_is_whole_and_all_else_is_short() {
    let all: Vec<Test> = suites::all().collect();
    let drives: Vec<Subject> = [DISKS[1], "intel-x25-m-g2-160", "crucial-m4-256"]
        .map(|slug| Catalog::default().load(slug, &[]).unwrap().into())
        .into();
    let names: Vec<Names> = drives.iter().map(set::names).collect();
    let asked = figures::asked(&names, &all);
    let batch = Review {
        is_everything: true,
        by_need: true,
        ..Review::of(drives, all, RootSeed(1))
    };
    let batch = batch.batch().unwrap();
    let mut lengths = [0, 0];
    for drive in &batch.drives {
        let slug = batch.cells[drive.first_cell].subject.slug().to_owned();
        for of in &drive.items {
            let is_asked = asked.contains(&(slug.clone(), of.item.name().to_owned()));
            assert!(
                !is_asked || of.length == Length::Full,
                "{slug} {}",
                of.item.name()
            );
            lengths[usize::from(of.length == Length::Full)] += 1;
            let wanted::Needs::Loads(loads) = &of.needs else {
                continue;
            };
            for (_, at) in loads {
                let playing = batch.cells[drive.first_cell + at].playing().unwrap();
                assert_eq!(playing.length, of.length, "{slug} {}", of.item.name());
            }
        }
    }
    let [short, whole] = lengths;
    assert!(whole > 10 && short > whole, "{whole} whole, {short} short");
}

#[test]
fn by_need_a_figure_is_what_it_is_in_full() {
    let tests = ["randwrite-4k-qd1", "seqwrite-2m", "randread-4k-qd1"];
    let full = plan(&DISKS, &tests);
    let by_need = Review {
        by_need: true,
        ..full.clone()
    };
    let [full, by_need] = [full, by_need].map(|asked| review(&asked).unwrap());
    assert!(!full.figures.is_empty());
    assert_eq!(full.figures, by_need.figures);
    let short = |set: &ResultSet| set.runs.iter().filter(|run| run.is_short).count();
    assert_eq!(short(&full), 0);
    for run in by_need.runs.iter().filter(|run| run.is_short) {
        assert!(
            run.notes.iter().any(|note| note.starts_with("Quick")),
            "{run:?}"
        );
        assert!(by_need.figures.iter().all(|figure| figure.run != run.id));
    }
}

#[test]
fn a_changed_drive_is_judged_against_nothing_and_says_why() {
    let of = |settings: &[&str]| {
        let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
        let variant = ftlab_lab::Variant {
            settings: settings.clone(),
            ..ftlab_lab::Variant::default()
        };
        let drive = Catalog::default().load(DISKS[0], &settings).unwrap();
        let asked = plan(&DISKS[..1], &["randwrite-4k-qd1"]);
        let drives = vec![Subject::from(drive).being(variant)];
        review(&Review { drives, ..asked }).unwrap()
    };
    let (sold, changed) = (of(&[]), of(&["disk.rpm=5400"]));
    assert!(!sold.figures.is_empty() && changed.figures.is_empty());
    let says = |set: &ResultSet| set.runs[0].notes.join(" ").contains("disk.rpm=5400");
    assert!(
        !says(&sold) && says(&changed),
        "{:?}",
        changed.runs[0].notes
    );
}

#[test]
fn a_shuffled_test_is_no_longer_the_published_one_unless_it_says_itself_how_it_lies() {
    use ftlab_workload::Shuffle;
    let modern: Vec<Test> = suites::named("modern").unwrap().tests().collect();
    let of = |slug: &str| {
        let test = modern.iter().find(|test| test.step.slug == slug).unwrap();
        (test.clone(), test.clone().shuffled(Shuffle::Each))
    };
    // A quarter of the pages of a doublewrite buffer lie in a zone.
    for (slug, stays) in [
        ("pages-4k-doublewrite", false),
        ("randwrite-4k-zones-90-10", true),
        ("nvme-randread-4k-qd1", true),
    ] {
        let (published, shuffled) = of(slug);
        assert!(published.family.source.is_published());
        assert_eq!(shuffled.family.source.is_published(), stays, "{slug}");
        let marks = |test: &Test| -> Vec<u128> {
            let loads = test.loads().iter();
            loads.map(Load::mark).collect()
        };
        assert_eq!(marks(&published) == marks(&shuffled), stays, "{slug}");
    }
}
