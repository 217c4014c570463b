use super::*;
use crate::scale::Scale;
use ftlab_base::{Command, Outcome, RootSeed, SimTime};
use ftlab_ftl::page::POLICIES;
use ftlab_host::Testbed;
use ftlab_sheet::SheetError;
use rand::RngExt;

pub(super) fn parse(text: &str) -> Result<DriveFile, SheetError> {
    Catalog::default().parse("test", text, &[])
}

#[test]
fn every_drive_that_comes_along_can_be_built() {
    let testbed = Testbed::load("anandtech-2008").unwrap();
    for slug in Catalog::drives() {
        let file = Catalog::default().load(slug, &[]).unwrap();
        let drive = file.build(&testbed, RootSeed(1)).unwrap();
        assert_eq!(
            drive.capacity_sectors() * 512,
            file.capacity_bytes(),
            "{slug}"
        );
        assert!(
            file.parameters().iter().all(|row| row.source != "set"),
            "{slug}"
        );
    }
}

#[test]
fn what_was_worked_out_from_figures_names_them() {
    for slug in Catalog::drives() {
        for row in Catalog::default().load(slug, &[]).unwrap().parameters() {
            let is_of_figures = ["fitted", "derived"].contains(&row.source.as_str());
            assert_eq!(is_of_figures, !row.from.is_empty(), "{slug}: {}", row.key);
        }
    }
}

const GENERIC: &str = include_str!("../../drives/generic-mlc-8.toml");

fn error(text: &str, settings: &[&str]) -> String {
    let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
    Catalog::default()
        .parse("test", text, &settings)
        .unwrap_err()
        .to_string()
}

#[test]
fn wrong_files_are_refused_with_place_and_reason() {
    let unknown = GENERIC.replace("[gc]", "[gc]\npolcy = \"greedy\"");
    let told = "unknown key `gc.polcy` (did you mean policy?); [gc] may have `policy`, `reserve`";
    assert!(
        error(&unknown, &[]).contains(told),
        "{}",
        error(&unknown, &[])
    );
    let section = GENERIC.replace("[queue]", "[queu]");
    assert!(error(&section, &[]).contains("there is no [queue] section"));
    let section = GENERIC.replace("[queue]", "[queu]\n[queue]");
    let told = "unknown section `queu` (did you mean queue?); such a drive may have `nand`, `map`";
    assert!(
        error(&section, &[]).contains(told),
        "{}",
        error(&section, &[])
    );
    let missing = GENERIC.replace("die_queue = ", "# ");
    let told = "firmware.die_queue is missing: NAND operations queued for a die";
    assert!(
        error(&missing, &[]).contains(told),
        "{}",
        error(&missing, &[])
    );
    let missing = GENERIC.replace("t_read", "t_raed");
    assert!(error(&missing, &[]).contains("t_raed"));
    let unit = GENERIC.replace("value = 50, unit = \"us\"", "value = 50, unit = \"KiB\"");
    assert!(error(&unit, &[]).contains("unit `KiB` is none of: ns, us, ms, s"));
    let word = GENERIC.replace("scheme = \"page\"", "scheme = \"a|b\"");
    assert!(
        error(&word, &[])
            .contains("unknown variant `a|b`, expected one of `page`, `block`, `packed`")
    );
    assert!(error("schema = 1\nkind = ", &[]).contains("line 2"));
    assert!(error(&GENERIC.replace("schema = 1", "schema = 9"), &[]).contains("schema 9"));
}

#[test]
fn page_types_have_times_of_which_the_mean_is_that_of_a_page() {
    let told = |settings: &[&str]| error(GENERIC, settings);
    let two = ["nand.t_read_lsb=30us", "nand.t_read_msb=70us"];
    let file = Catalog::default()
        .parse("test", GENERIC, &two.map(str::to_owned))
        .unwrap();
    let timing = file.ssd().unwrap().nand.timing().unwrap();
    let read = timing.of_type.map(|read| read.0 / 1_000);
    assert_eq!((timing.page_types, read), (2, [30, 70, 0, 0]));
    let mean = told(&["nand.t_read_lsb=40us", "nand.t_read_msb=70us"]);
    assert!(
        mean.contains("nand.t_read: 50.0 us; it is the mean of the page types, which is 55.0 us"),
        "{mean}"
    );
    let hole = told(&["nand.t_read_lsb=30us", "nand.t_read_csb=70us"]);
    assert!(hole.contains("one of three t_read_csb besides"), "{hole}");
    let spread = told(&[&two[..], &["nand.t_read_spread=0.1"]].concat());
    assert!(spread.contains("leave one of the two out"), "{spread}");
    let together = told(&[&two[..], &["nand.pages_per_program=4"]].concat());
    assert!(
        together.contains("4 pages at a time, and 2 page types have a time to read"),
        "{together}"
    );
}

#[test]
fn a_key_that_is_gone_is_told_what_to_write_instead() {
    for (setting, instead) in [
        ("firmware.trim_slot=10us", "give firmware.trim_command"),
        ("gc.hot_spare=0.5", "which is the best share"),
        ("limit.read_cost=2", "and write_cost"),
        ("nand.t_program_lsb=1ms", "nand.t_program is the mean"),
        ("nand.t_program_tsb=1ms", "nand.t_program is the mean"),
    ] {
        let (key, _) = setting.split_once('=').unwrap();
        let error = error(GENERIC, &["limit.iops=100", setting]);
        let words = format!("`{key}` is a key of earlier versions: ");
        assert!(error.contains(&words) && error.contains(instead), "{error}");
    }
}

#[test]
fn impossible_settings_are_refused() {
    for (setting, why) in [
        ("spare.op=0", "must be above 0"),
        (
            "gc.policy=fastest",
            "[gc]: policy `fastest` is none of: greedy, fifo",
        ),
        ("gc.policy=d-choices", "needs `choices`"),
        ("gc.policy=windowed-greedy", "needs `window`"),
        ("gc.window=8", "policy `greedy` does not use `window`"),
        ("gc.choices=0", "must be above 0"),
        ("gc.choices=2.5", "whole number"),
        ("gc.reserve=1", "at least 2"),
        ("nand.channels=0", "must be above 0"),
        ("map.stripe_dies=5", "does not divide"),
        (
            "spare.opp=0.1",
            "unknown key `spare.opp` (did you mean op?)",
        ),
        ("map.slot=2KiB", "the least is 4 KiB"),
        ("nand.blocks_per_die=4", "do not fit"),
        ("buffer.size=1KiB", "must hold a slot"),
        ("nand.t_program=2e10s", "beyond anything"),
        ("gc.reserve=1677722", "a group has only"),
        ("gc.batch=0", "must be above 0"),
        ("gc.turn=0", "must be above 0"),
        ("gc.waiting_max=0", "must be above 0"),
        ("gc.waiting_max=9", "has no meaning without gc.turn"),
        ("gc.batch=500", "collects 500 superblocks in one go"),
    ] {
        let message = error(GENERIC, &[setting]);
        assert!(message.contains(why), "{setting}: {message}");
    }
}

#[test]
fn every_policy_can_be_named_with_its_parameters_and_with_no_others() {
    for policy in POLICIES {
        let mut settings = vec![format!("gc.policy={}", policy.name)];
        for parameter in policy.parameters {
            settings.push(format!("gc.{}=3", parameter.name));
        }
        let file = Catalog::default()
            .parse("test", GENERIC, &settings)
            .unwrap();
        let rows = file.parameters();
        for parameter in policy.parameters {
            let key = format!("gc.{}", parameter.name);
            let row = rows.iter().find(|row| row.key == key).unwrap();
            assert_eq!((row.value.as_str(), row.source.as_str()), ("3", "set"));
            let parts = ["value = 0", "unit = \"1\"", "source = \"assumed\""];
            let none = format!(
                "{} = {{ {}, confidence = \"low\" }}",
                parameter.name,
                parts.join(", ")
            );
            let text = GENERIC.replace("\"greedy\"", &format!("\"{}\"\n{none}", policy.name));
            assert!(error(&text, &[]).contains("must be above 0"));
        }
    }
}

/// The hash of all operations of a small drive that was overwritten at random.
pub(super) fn operations(file: &DriveFile, seed: u64) -> u64 {
    let testbed = Testbed::load("anandtech-2008").unwrap();
    let mut drive = file.build(&testbed, RootSeed(seed)).unwrap();
    let slots = drive.capacity_sectors() / 8;
    let mut rng = RootSeed(9).stream("load");
    for n in 0..4 * slots {
        let slot = if n < slots {
            n
        } else {
            rng.random_range(0..slots)
        };
        let command = Command::write(n, 8 * slot, 8, SimTime::ZERO);
        assert_eq!(drive.apply(command), Outcome::Good);
    }
    drive.counters().stream_hash
}

pub(super) fn small(settings: &[&str]) -> DriveFile {
    let size = [
        "nand.blocks_per_die=32",
        "nand.pages_per_block=16",
        "spare.op=0.5",
    ];
    let settings: Vec<String> = size
        .iter()
        .chain(settings)
        .map(ToString::to_string)
        .collect();
    Catalog::default()
        .parse("test", GENERIC, &settings)
        .unwrap()
}

#[test]
fn what_is_drawn_at_random_depends_on_the_seed_and_on_nothing_else() {
    let random = small(&["gc.policy=random"]);
    assert_eq!(operations(&random, 1), operations(&random, 1));
    assert_ne!(operations(&random, 1), operations(&random, 2));
    let greedy = small(&[]);
    assert_eq!(operations(&greedy, 1), operations(&greedy, 2));
}

#[test]
fn what_a_policy_uses_must_be_said() {
    let start = GENERIC.find("[scheduling]").unwrap();
    let length = GENERIC[start..].find("[link]").unwrap();
    let without = GENERIC.replace(&GENERIC[start..start + length], "");
    assert!(parse(&without).is_ok(), "issue order needs no section");
    for (settings, why) in [
        (&["scheduling.order=read-first"][..], "needs overtake_max"),
        (&["scheduling.gc_preemptible=true"], "needs overtake_max"),
        (
            &["scheduling.suspend=erase", "scheduling.overtake_max=8"],
            "needs suspend_time, for example scheduling.suspend_time=20us",
        ),
        (
            &["scheduling.order=fastest"],
            "one of `fcfs`, `read-first`, `all-reads-first`",
        ),
        (&["scheduling.suspend=all"], "unknown variant `all`"),
        (&["scheduling.gc_preemptible=1"], "expected a boolean"),
        (&["scheduling.suspend_max=0"], "must be above 0"),
    ] {
        let message = error(&without, settings);
        assert!(message.contains(why), "{settings:?}: {message}");
    }
    let settings = ["scheduling.order=read-first", "scheduling.overtake_max=8"];
    let settings = settings.map(ToString::to_string);
    assert!(
        Catalog::default()
            .parse("test", &without, &settings)
            .is_ok()
    );
}

#[test]
fn tables_that_outgrow_the_array_are_refused() {
    // With superblocks of one page, 2^32 - 1 pages of tables are as many superblocks.
    let settings = [
        "nand.pages_per_block=1",
        "checkpoint.every=4KiB",
        "checkpoint.size=17179869180KiB",
    ];
    assert!(error(GENERIC, &settings).contains("do not fit"));
}

#[test]
fn memory_for_the_mapping_table_is_refused_or_used() {
    for (settings, why) in [
        (&["map.dram=1MiB"][..], "map.dram and map.entry go together"),
        (&["map.entry=4B"], "map.dram and map.entry go together"),
        (
            &["map.entry=2B", "map.dram=1MiB"],
            "an entry must tell 2097152 slots apart",
        ),
        (&["map.entry=8KiB", "map.dram=1MiB"], "must hold one"),
        (
            &["map.entry=4B", "map.dram=5B"],
            "the least is a cached entry, 6 bytes",
        ),
        (&["map.entry=4KiB", "map.dram=64KiB"], "do not fit"),
        (
            &["map.cache=64KiB"],
            "map.cache belongs to map.scheme `packed`",
        ),
        (
            &["gc.early_valid=0.2"],
            "gc.early_valid belongs to map.scheme `packed`, and this drive has `page`",
        ),
    ] {
        let message = error(GENERIC, settings);
        assert!(message.contains(why), "{settings:?}: {message}");
    }
    // A table that fits is as one that was never spoken of; one that does not is read from flash.
    let of = |settings: &[&str]| operations(&small(settings), 1);
    let fits = of(&["map.entry=4B", "map.dram=1GiB"]);
    assert_eq!(fits, of(&[]));
    assert_ne!(fits, of(&["map.entry=64B", "map.dram=1KiB"]));
}

#[test]
fn memory_of_the_host_for_the_mapping_table_is_refused_where_it_cannot_be() {
    let nvme = |settings: &[&str]| error_of("generic-nvme-tlc-8", settings);
    let latency = "map.host_memory_latency=1us";
    let alone = nvme(&["map.host_memory=1MiB"]);
    assert!(
        alone.contains("map.host_memory and map.host_memory_latency go together"),
        "{alone}"
    );
    let sata = error(GENERIC, &["map.host_memory=1MiB", latency]);
    assert!(
        sata.contains("only a drive on lanes of PCI Express"),
        "{sata}"
    );
    let little = nvme(&["map.dram=700B", "map.host_memory=1MiB", latency]);
    assert!(
        little.contains("the least is a piece of the table, 768 bytes"),
        "{little}"
    );
}

/// Error of a drive of the catalogue with settings that it refuses.
fn error_of(slug: &str, settings: &[&str]) -> String {
    let owned: Vec<String> = settings.iter().map(ToString::to_string).collect();
    match Catalog::default().load(slug, &owned) {
        Ok(_) => panic!("{settings:?} are taken"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn memory_for_pages_of_a_packed_table_is_refused_if_it_cannot_be() {
    for (settings, why) in [
        (
            &["map.entry=16KiB"][..],
            "a page of 8192 bytes must hold one",
        ),
        (
            &["map.cache=4KiB"],
            "the least is a page of the table, 8192 bytes",
        ),
        (
            &["map.dram=4MiB"],
            "map.dram belongs to map.scheme `page`, and this drive has `packed`: leave it out; here \
             [map] may have `scheme`, `slot`, `stripe_dies`, `cache`, `entry`",
        ),
    ] {
        let message = error_of("ocz-vertex3-120", settings);
        assert!(message.contains(why), "{settings:?}: {message}");
    }
}

#[test]
fn what_belongs_to_another_scheme_is_refused_with_its_scheme() {
    for (slug, setting, why) in [
        (
            "ocz-vertex3-120",
            "gc.batch=2",
            "gc.batch belongs to map.scheme `page`",
        ),
        (
            "ocz-vertex3-120",
            "wear.blocks=2",
            "[wear] belongs to map.scheme `page` or `block`",
        ),
        (
            "ocz-vertex3-120",
            "checkpoint.every=1MiB",
            "[checkpoint] belongs to map.scheme `page`",
        ),
        (
            "generic-mlc-8",
            "wear.blocks=2",
            "wear.blocks belongs to map.scheme `block`",
        ),
        (
            "generic-mlc-8",
            "map.log_blocks=2",
            "map.log_blocks belongs to map.scheme `block`",
        ),
        (
            "generic-mlc-8",
            "raise.parity=true",
            "[raise] belongs to map.scheme `packed`",
        ),
        (
            "generic-mlc-8",
            "map.scheme=packed",
            "needs a [compress] section",
        ),
        (
            "ocz-core-jmf602",
            "gc.reserve=2",
            "[gc] belongs to map.scheme `page` or `packed`",
        ),
        (
            "ocz-core-jmf602",
            "wear.spread=2",
            "wear.spread belongs to map.scheme `page`",
        ),
        (
            "ocz-core-jmf602",
            "map.scheme=page",
            "belongs to map.scheme `block`",
        ),
    ] {
        let message = error_of(slug, &[setting]);
        assert!(message.contains(why), "{slug}, {setting}: {message}");
    }
}

#[test]
fn what_is_programmed_together_or_at_a_time_is_refused_if_it_cannot_be() {
    for (settings, why) in [
        (
            &["scheduling.programs_max=0"][..],
            "scheduling.programs_max",
        ),
        (
            &[
                "scheduling.suspend=program-erase",
                "scheduling.multi_plane=true",
            ],
            "done together cannot be suspended",
        ),
    ] {
        let message = error_of("ocz-vertex3-120", settings);
        assert!(message.contains(why), "{settings:?}: {message}");
    }
}

#[test]
fn an_array_that_does_not_fit_its_channels_or_pages_is_refused() {
    for (setting, why) in [
        ("nand.dies=21", "nand.dies: 21 dies on 10 channels"),
        ("nand.dies=10", "must have nand.dies_per_channel of them, 2"),
        ("nand.read_unit=16KiB", "at most a page"),
        ("nand.read_unit=1000B", "whole sectors"),
    ] {
        let message = error_of("intel-320-120", &[setting]);
        assert!(message.contains(why), "{setting}: {message}");
    }
    let file = Catalog::default()
        .load("intel-320-120", &["nand.dies=16".into()])
        .unwrap();
    let raw_bytes = file.raw_bytes();
    assert_eq!(raw_bytes.map(|bytes| bytes >> 30), Some(128));
}

#[test]
fn a_drive_is_read_without_being_made() {
    // 2^32 - 4096 pages: their tables would take 32 GiB.
    let largest = ["nand.blocks_per_die=1048575", "spare.op=1"].map(String::from);
    let file = Catalog::default().parse("test", GENERIC, &largest).unwrap();
    assert_eq!(file.capacity_bytes() >> 40, 7);
}

#[test]
fn one_pace_of_collection_takes_the_place_of_another() {
    let load = |drive: &str, settings: &[&str]| {
        let settings: Vec<String> = settings.iter().map(|s| (*s).to_owned()).collect();
        Catalog::default().load(drive, &settings)
    };
    let paces = |settings: &[&str]| -> Vec<String> {
        let rows = load("samsung-pm9a3-960", settings).unwrap().parameters();
        let keys = rows.into_iter().map(|row| row.key);
        keys.filter(|key| ["gc.batch", "gc.turn", "gc.pacing", "gc.waiting_max"].contains(&&**key))
            .collect()
    };
    assert_eq!(paces(&[]), ["gc.turn", "gc.waiting_max"]);
    assert_eq!(paces(&["gc.turn=3"]), ["gc.turn", "gc.waiting_max"]);
    assert_eq!(paces(&["gc.batch=1"]), ["gc.batch"]);
    assert_eq!(paces(&["gc.pacing=in-step"]), ["gc.pacing"]);
    // What was set is meant.
    let both = load("samsung-pm9a3-960", &["gc.turn=3", "gc.batch=1"]).unwrap_err();
    assert!(both.to_string().contains("exclude each other"), "{both}");
    // In step is what a file without any of them has.
    let done = |pace: &[&str]| {
        let settings = [&["nand.blocks_per_die=32"], pace].concat();
        operations(&load("generic-mlc-8", &settings).unwrap(), 1)
    };
    assert_eq!(done(&["gc.pacing=in-step"]), done(&[]));
}

#[test]
fn over_provisioning_is_of_the_user_capacity_with_the_reserve_set_aside() {
    let file = Catalog::default()
        .parse("test", GENERIC, &["spare.op=0.25".to_string()])
        .unwrap();
    let usable = (8_u64 << 30) - 16 * (5 << 19);
    let op = usable as f64 / file.capacity_bytes() as f64 - 1.0;
    assert!((op - 0.25).abs() < 1e-5, "{op}");
}

#[test]
fn a_setting_changes_the_hash_and_shows_in_the_sheet() {
    let plain = parse(GENERIC).unwrap();
    let set = Catalog::default()
        .parse("test", GENERIC, &["nand.t_read=60".to_string()])
        .unwrap();
    assert_ne!(plain.hash(), set.hash());
    let row = set
        .parameters()
        .into_iter()
        .find(|row| row.key == "nand.t_read")
        .unwrap();
    assert_eq!(
        (row.value.as_str(), row.unit.as_str(), row.source.as_str()),
        ("60", "us", "set")
    );
}

#[test]
fn names_are_found_by_alias_and_near_misses_are_suggested() {
    assert_eq!(
        Catalog::default()
            .load("jmf602-mlc-64", &[])
            .unwrap()
            .slug(),
        "ocz-core-jmf602"
    );
    let message = Catalog::default()
        .load("intel-x25-m-g1", &[])
        .map(|d| d.slug().to_string());
    assert_eq!(message.unwrap(), "intel-x25-m-g1-80");
    let message = Catalog::default()
        .load("intel-x25m", &[])
        .unwrap_err()
        .to_string();
    assert!(
        message.contains("did you mean intel-x25-m-g1-160 or intel-x25-m-g1-80"),
        "{message}"
    );
    let message = Catalog::default()
        .load("./nowhere.toml", &[])
        .unwrap_err()
        .to_string();
    assert!(
        message.starts_with("cannot read ./nowhere.toml"),
        "{message}"
    );
}

#[test]
fn a_scaled_drive_keeps_its_shares() {
    for slug in ["intel-x25-m-g1-80", "ocz-core-jmf602", "samsung-slc-64"] {
        let file = Catalog::default().load(slug, &[]).unwrap();
        let eighth = Scale {
            blocks: 8,
            ..Scale::FULL
        };
        let small = file.scaled(eighth).unwrap();
        let ratio =
            |file: &DriveFile| file.raw_bytes().unwrap() as f64 / file.capacity_bytes() as f64;
        assert_eq!(
            small.raw_bytes().unwrap() * 8,
            file.raw_bytes().unwrap(),
            "{slug}"
        );
        assert!((ratio(&small) / ratio(&file) - 1.0).abs() < 0.02, "{slug}");
    }
    let ahead = |file: &DriveFile| {
        let rows = file.parameters();
        let row = rows.into_iter().find(|row| row.key == "gc.ahead").unwrap();
        row.value.parse::<f64>().unwrap()
    };
    let collector = Catalog::default().load("gskill-falcon2-128", &[]).unwrap();
    let small = collector.scaled(Scale {
        blocks: 8,
        ..Scale::FULL
    });
    assert_eq!(ahead(&small.unwrap()), (ahead(&collector) / 8.0).floor());
    let disk = Catalog::default()
        .load("seagate-momentus-7200.2", &[])
        .unwrap();
    let error = disk.extent().unwrap_err().to_string();
    assert!(error.contains("does not wear out"), "{error}");
}

#[test]
fn block_lives_are_given_whole_or_not_at_all() {
    let set = |settings: &[&str]| {
        let settings: Vec<String> = settings.iter().map(|of| (*of).to_owned()).collect();
        Catalog::default().load("micron-7450-pro-960", &settings)
    };
    let announced = set(&[]).unwrap();
    assert_eq!(
        announced.rated_bytes().unwrap().bytes,
        1_752_000_000_000_000
    );
    assert!((announced.rated_bytes().unwrap().years(960e9) - 5.0).abs() < 1e-12);
    assert_eq!(
        (announced.rated_cycles(), announced.worn_out_cycles(0.01)),
        (None, None)
    );
    let why = set(&["reliability.rated_cycles=3000"])
        .unwrap_err()
        .to_string();
    assert!(
        why.contains("median_cycles and life_shape say together"),
        "{why}"
    );
    let whole = set(&[
        "reliability.rated_cycles=3000",
        "reliability.median_cycles=9000",
        "reliability.life_shape=4",
    ]);
    assert_eq!(whole.unwrap().rated_cycles(), Some(3000));
}
