//! Errors of suites have their line, and the reviews' suites are sound.

use super::*;
use ftlab_base::RootSeed;
use ftlab_drive::Catalog;
use ftlab_host::Testbed;
use ftlab_lab::Subject;
use ftlab_play::embedded::{JOBS, SCRIPTS, TRACES};
use ftlab_play::streams::seed_of_text;
use std::collections::BTreeSet;

#[test]
fn a_review_of_everything_is_of_the_drives_that_no_other_suite_is_for() {
    let modern = named("modern").unwrap();
    let all = all_drives();
    let theirs: Vec<String> = [modern.drives, modern.more_drives].concat();
    assert!(theirs.iter().all(|drive| !all.contains(drive)));
    assert_eq!(all.len() + theirs.len(), Catalog::drives().len());
    assert!(drives().iter().all(|drive| all.contains(drive)));
}

#[test]
fn every_file_of_the_folder_is_compiled_in_and_all_slugs_differ() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../suites");
    let files = std::fs::read_dir(folder).unwrap().count();
    let sources: BTreeSet<&str> = families().map(|f| f.source.key.as_str()).collect();
    let others = ["modern", "desktop", "fit"].map(|name| named(name).unwrap());
    assert_eq!(
        sources.len() + others.len(),
        files,
        "list it in built_in.rs"
    );
    let slugs: Vec<String> = all().map(|test| test.step.slug.clone()).collect();
    assert_eq!(slugs.iter().collect::<BTreeSet<_>>().len(), slugs.len());
    assert_eq!((families().count(), slugs.len()), (67, 147));
    let is_procedure = |test: Test| match &test.step.work {
        Work::Within(procedure, _) => Some(Arc::clone(procedure)),
        Work::Loads { .. } | Work::Fact(_) => None,
    };
    let mut of_slug = std::collections::BTreeMap::new();
    for procedure in all().filter_map(is_procedure) {
        let first = of_slug.entry(procedure.slug.clone());
        let first = first.or_insert_with(|| Arc::clone(&procedure));
        assert!(Arc::ptr_eq(first, &procedure), "{}", procedure.slug);
    }
}

#[test]
fn every_played_load_runs_on_the_machine_that_it_names_and_every_trace_is_played() {
    let mut traces: BTreeSet<&str> = TRACES.names().collect();
    for test in all() {
        Testbed::load(test.family.testbed.as_ref().expect("reviews name theirs")).unwrap();
        if let Work::Loads { loads, .. } = &test.step.work
            && let Some(testbed) = loads[0].testbed()
        {
            assert_eq!(
                Some(testbed),
                test.family.testbed.as_deref(),
                "{}",
                loads[0].name()
            );
            traces.remove(loads[0].name());
        }
        if let Runs::WithAllOn(drives) = &test.family.runs {
            for drive in drives {
                Catalog::default().load(drive, &[]).unwrap();
            }
        }
    }
    assert_eq!(traces, BTreeSet::new(), "no test plays these");
    assert_eq!(drives().len(), 5);
    for drive in drives() {
        Catalog::default().load(&drive, &[]).unwrap();
    }
}

#[test]
fn a_test_answers_to_what_the_tables_call_it() {
    let called = |name: &str| all().filter(|test| test.answers_to(name)).count();
    assert_eq!((called("launch-3dsmax"), called("3dsmax_alone")), (1, 1));
    assert_eq!(called("3dsmax"), 0);
}

#[test]
fn a_load_of_the_review_has_its_seed_by_its_text_too() {
    let root = RootSeed(1);
    let mut read = 0;
    for test in all() {
        let Work::Loads { loads, .. } = &test.step.work else {
            continue;
        };
        for load in loads {
            let job = load.name().strip_suffix(".fio");
            let found = match job {
                Some(job) => JOBS.find(job),
                None => SCRIPTS
                    .find(load.name())
                    .or_else(|| TRACES.find(load.name())),
            };
            let (_, text) = found.unwrap();
            assert_eq!(seed_of_text(root, text), load.seed(root));
            read += 1;
        }
    }
    assert!(read > 100, "{read} loads");
}

#[test]
fn a_job_that_several_steps_have_is_read_once() {
    let load = |slug: &str| {
        let test = all().find(|test| test.step.slug == slug).unwrap();
        match &test.step.work {
            Work::Loads { loads, .. } => std::ptr::from_ref(loads[0].what()),
            Work::Within(..) | Work::Fact(_) => panic!("{slug} has a load"),
        }
    };
    assert!(std::ptr::eq(
        load("randwrite-4k-qd1"),
        load("randwrite-size-sweep-4k")
    ));
}

#[test]
fn the_suite_of_today_is_asked_for_by_name_and_is_sound() {
    let suite = named("modern").unwrap();
    let slugs: BTreeSet<String> = suite.tests().map(|test| test.step.slug.clone()).collect();
    assert_eq!(slugs.len(), suite.tests().count());
    let of_reviews: BTreeSet<String> = all().map(|test| test.step.slug.clone()).collect();
    assert!(slugs.is_disjoint(&of_reviews), "a name stands for one test");
    assert_eq!(suite.drives.len(), 8);
    for slug in suite.drives.iter().chain(&suite.more_drives) {
        let file = Catalog::default().load(slug, &[]).unwrap();
        let full = file.capacity_bytes();
        let [fitted] = &Subject::fit(vec![file.into()], suite.shrink_to).unwrap()[..] else {
            panic!("a drive is one");
        };
        let small = fitted.first().capacity_bytes();
        assert!(small <= suite.shrink_to.unwrap() * 3 / 2, "{slug}: {small}");
        assert_eq!(
            crate::sheets::sheet_of(fitted).capacity_bytes,
            full,
            "it is shown in its own size"
        );
    }
    let others: Vec<String> = ["anandtech-2012", "witnesses"].map(str::to_owned).to_vec();
    assert!(others.iter().all(|name| named(name).is_ok()));
    let why = named("moder").unwrap_err();
    assert!(why.contains("did you mean modern"), "{why}");
}

#[test]
fn each_test_of_a_desktop_is_of_commands_that_a_host_gives_one_drive() {
    let suite = named("desktop").unwrap();
    let of_others: BTreeSet<String> = (all().chain(named("modern").unwrap().tests()))
        .map(|test| test.step.slug.clone())
        .collect();
    for test in suite.tests() {
        let slug = &test.step.slug;
        assert!(
            !of_others.contains(slug),
            "{slug}: a name stands for one test"
        );
        let jobs = test.loads().iter().map(|load| load.job_file());
        let jobs: Vec<_> = jobs
            .collect::<Option<_>>()
            .unwrap_or_else(|| panic!("{slug} is no job"));
        assert!(!jobs.is_empty(), "{slug}");
    }
    // What a review of everything leaves out, it leaves out for the suite of today already.
    let modern = named("modern").unwrap().drives;
    assert!(suite.drives.iter().all(|drive| modern.contains(drive)));
}

const HEAD: &str = "schema = 1\ntitle = \"Mine\"\nstates = [\"filled\"]\n";
const FAMILY: &str = "[[family]]\nslug = \"a\"\ntitle = \"A\"\nchart = \"bars\"\nmetric = \"iops\"\nunit = \"IOPS\"\n";
const STEP: &str = "[[family.step]]\njob = \"randwrite-4k-qd1.fio\"\n";

fn read(text: &str) -> Result<Suite, String> {
    let suite = Suite::read(text, "my.toml", &mut Files::default());
    suite.map_err(|error| error.to_string())
}

#[test]
fn a_suite_of_one_s_own_is_read() {
    let suite = read(&format!("{HEAD}{FAMILY}{STEP}")).unwrap();
    let test = suite.tests().next().unwrap();
    assert_eq!(test.step.slug, "a");
    assert_eq!(
        (test.family.method.as_str(), test.first_state()),
        ("1", "filled")
    );
    assert_eq!(test.sheet().source, "Mine");
    assert_eq!(test.family.testbed, None);
    assert!(!test.family.source.is_published());
    // A script runs on the machine that its CPU times are of.
    let script = "[[family.step]]\nscript = \"boot-windows7.toml\"\n";
    let suite = read(&format!("{HEAD}{FAMILY}{script}")).unwrap();
    assert_eq!(
        suite.families[0].testbed.as_deref(),
        Some("behardware-2011")
    );
}

#[test]
fn what_is_wrong_is_said_with_its_line_and_what_to_do() {
    let procedure = "[[procedure]]\nslug = \"p\"\nacts = [\n";
    let cases = [
        (
            format!("{HEAD}{FAMILY}[[family.step]]\njbo = \"x\"\n"),
            "my.toml:11: unknown field `jbo`",
        ),
        (
            format!("{HEAD}{FAMILY}[[family.step]]\njbo = \"x\"\n"),
            "did you mean `job`?",
        ),
        (
            format!("{HEAD}{FAMILY}[[family.step]]\njob = \"randwrite-4k-q1.fio\"\n"),
            "my.toml:11: there is no job file `randwrite-4k-q1.fio`: write the name of one that comes with ftlab; \
             did you mean randwrite-4k-qd1.fio",
        ),
        (
            format!("{HEAD}{FAMILY}{STEP}slug = \"b\"\n{STEP}slug = \"b\"\n"),
            "my.toml:15: two steps are called `b`",
        ),
        (
            format!("{HEAD}{FAMILY}{STEP}{STEP}"),
            "my.toml:10: one of several steps needs a slug",
        ),
        (
            format!("{HEAD}{FAMILY}{STEP}{FAMILY}{STEP}"),
            "two families are called `a`",
        ),
        (
            format!("{HEAD}{FAMILY}states = [\"fileld\"]\n{STEP}"),
            "my.toml:10: unknown variant `fileld`",
        ),
        (
            format!("{HEAD}{FAMILY}states = [\"new\", \"new\"]\n{STEP}"),
            "\"new\" stands here twice",
        ),
        (
            format!("{HEAD}{}{STEP}", FAMILY.replace("bars", "bras")),
            "my.toml:7: unknown variant `bras`",
        ),
        (
            format!("{HEAD}{FAMILY}{STEP}roles = [\"booot\"]\n"),
            "my.toml:12: unknown variant `booot`",
        ),
        (
            format!("{HEAD}{FAMILY}{STEP}ports = [\"sata9g\"]\n"),
            "there is no port `sata9g`; did you mean sata",
        ),
        (
            format!("{HEAD}{FAMILY}testbed = \"nowhere\"\n{STEP}"),
            "my.toml:10: ",
        ),
        (
            format!("{HEAD}{FAMILY}{STEP}trace = \"atsb2011-light.toml\"\n"),
            "give it one of job, script",
        ),
        (
            format!(
                "{HEAD}{FAMILY}[[family.step]]\nfact = {{ endurance = {{ gb_per_day = 0 }} }}\n"
            ),
            "my.toml:11: invalid value: integer `0`, expected a nonzero u32",
        ),
        (
            format!("{HEAD}{FAMILY}"),
            "a family needs a [[family.step]]",
        ),
        (HEAD.to_owned(), "my.toml:1: a suite needs a [[family]]"),
        (
            format!("schema = 1\n{FAMILY}{STEP}"),
            "a suite needs a title",
        ),
        (
            format!("schema = 1\nsource = \"nobody-2001\"\n{FAMILY}{STEP}"),
            "my.toml:2: no source of published figures",
        ),
        (
            format!("schema = 1\ntitle = \"T\"\n{FAMILY}{STEP}"),
            "need a state to begin in",
        ),
        (
            format!("{HEAD}{FAMILY}{STEP}procedure = \"q\"\n"),
            "there is no procedure `q`",
        ),
        (
            format!("{HEAD}{procedure}  {{ do = \"trim\", data = \"zeros\" }},\n]\n{FAMILY}{STEP}"),
            "my.toml:7: unknown field `data`, expected `to`",
        ),
        (
            format!(
                "{HEAD}{procedure}  {{ do = \"measure\", job = \"randwrite-4k-qd1.fio\" }},\n]\n{FAMILY}{STEP}"
            ),
            "my.toml:7: missing field `state`",
        ),
        (
            format!("{HEAD}{procedure}]\n{FAMILY}{STEP}"),
            "a procedure measures something",
        ),
        (
            format!("{HEAD}{FAMILY}score = {{ points = 1.0 }}\n{STEP}"),
            "write per or over",
        ),
    ];
    for (text, words) in cases {
        let error = read(&text)
            .err()
            .unwrap_or_else(|| panic!("no error: {text}"));
        assert!(error.contains(words), "{error}\nhas not: {words}\n{text}");
    }
}
