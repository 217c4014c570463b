//! Drives that are made from data sheets.

use super::*;
use ftlab_drive::Catalog;

const HEAD: &str = "schema = 1\nkind = \"sheet\"\nname = \"X\"\nport = \"pcie4x4\"\n";

const DATA_CENTRE: &str = "class = \"data-centre\"\nflash = \"TLC\"\ncapacity = \"1920 GB\"\n";

const CLIENT: &str = "class = \"client\"\nflash = \"TLC\"\ncapacity = \"1 TB\"\n";

fn sheet(rest: &[&str]) -> Result<Sheet, CalibrateError> {
    Sheet::parse("x.sheet.toml", &(HEAD.to_owned() + &rest.join("\n")))
}

fn made(rest: &[&str]) -> Calibrated {
    from_sheet(&sheet(rest).unwrap(), &Catalog::default()).unwrap()
}

fn number(made: &Calibrated, key: &str) -> f64 {
    let row = made.fitted.iter().find(|row| row.key == key);
    row.unwrap_or_else(|| panic!("{key} of {:?}", made.fitted))
        .is
}

fn is_pinned(made: &Calibrated, key: &str, by: PinnedBy) -> bool {
    made.pinned
        .iter()
        .any(|pinned| pinned.key == key && pinned.by == by)
}

/// The figures that a maker would announce of a model.
fn announced(file: &DriveFile) -> String {
    let asked = sheet(&[
        DATA_CENTRE,
        "[announced]\nsequential_reads = \"5 GB/s\"\nsequential_writes = \"3 GB/s\"\nrandom_reads = \"500k\"\n\
         random_writes = \"100k\"\nread_latency = \"80us\"\nwrite_latency = \"10us\"",
    ]);
    let testbed = Testbed::load("spdk-2024").unwrap();
    let mut text = "[announced]\n".to_owned();
    for figure in &asked.unwrap().figures(false) {
        let testbed = &testbed;
        let is = Bench { testbed, figure }.shown(file).unwrap();
        text += &match figure.kind {
            Kind::SequentialRead => format!("sequential_reads = \"{is:.0} MB/s\"\n"),
            Kind::SequentialWrite => format!("sequential_writes = \"{is:.0} MB/s\"\n"),
            Kind::RandomRead => format!("random_reads = {is:.0}\n"),
            Kind::RandomWrite => format!("random_writes = {is:.0}\n"),
            Kind::Read => format!("read_latency = \"{is:.2} us\"\n"),
            _ => format!("write_latency = \"{is:.2} us\"\n"),
        };
    }
    text
}

#[test]
fn a_sheet_tells_the_numbers_of_the_drive_that_it_is_of() {
    let hidden = [
        ("nand.blocks_per_die", 2200.0, "1"),
        ("nand.t_program", 2100.0, "us"),
        ("firmware.read_command", 1.5, "us"),
        ("firmware.read_pipeline", 9.0, "us"),
        ("firmware.write_pipeline", 4.0, "us"),
        ("link.rate", 5500.0, "MB/s"),
    ];
    let settings: Vec<String> = hidden
        .iter()
        .map(|(key, value, unit)| format!("{key}={value}{}", unit.trim_start_matches('1')))
        .collect();
    let file = Catalog::default()
        .load("generic-dc-tlc-1920", &settings)
        .unwrap();
    let found = made(&[DATA_CENTRE, &announced(&file)]);
    assert!(
        found.contradictions.is_empty(),
        "{:?}",
        found.contradictions
    );
    for (key, value, _) in hidden {
        let is = number(&found, key);
        assert!((is / value - 1.0).abs() < 0.03, "{key}: {is}, not {value}");
        assert!(is_pinned(&found, key, PinnedBy::Sheet), "{key}");
    }
    for row in &found.fitted {
        assert!((row.model[1] / row.measured - 1.0).abs() < 0.02, "{row:?}");
    }
    assert!(is_pinned(&found, "map.slot", PinnedBy::Class));
    assert!(is_pinned(&found, "nand.t_erase", PinnedBy::Nothing));
    // The file says where its numbers are from, and is a drive.
    assert!(
        found.text.contains("from = [\"x.sheet.toml\"]"),
        "{}",
        found.text
    );
    let again = Catalog::default().parse("again", &found.text, &[]).unwrap();
    assert_eq!(again.hash(), found.file.hash());
}

#[test]
fn a_sheet_of_a_drive_with_a_cache_pins_the_cache() {
    let rates = "[announced]\nsequential_writes = \"4000 MB/s\"\nrandom_writes = \"600k\"\nrandom_reads = \"700k\"\n\
                 endurance = \"600 TB\"\n";
    let found = made(&[CLIENT, rates]);
    assert!(
        found.contradictions.is_empty(),
        "{:?}",
        found.contradictions
    );
    let keys: Vec<&str> = found.fitted.iter().map(|row| row.key).collect();
    assert_eq!(
        keys,
        [
            "slc.t_program",
            "firmware.write_command",
            "firmware.read_command"
        ]
    );
    let said = found.remarks.join("\n");
    for part in [
        "pins the cache",
        "does not say how fast it goes past it",
        "does not tell its size",
        "600 TB in 5 years",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    // With its size, and the speed past it.
    let past = "sequential_writes_past_cache = \"1200 MB/s\"";
    let found = made(&[CLIENT, "cache = \"114 GB\"", rates, past]);
    let said = found.remarks.join("\n");
    assert!(!said.contains("does not"), "{said}");
    for row in &found.fitted {
        assert!((row.model[1] / row.measured - 1.0).abs() < 0.02, "{row:?}");
    }
    assert!(
        number(&found, "nand.t_program") > 327.0,
        "{:?}",
        found.fitted
    );
    let more = numbers::number_of(&found.file, "slc.more_size").unwrap();
    assert_eq!(
        (more.value.as_str(), more.source.as_str()),
        ("108", "datasheet")
    );
}

#[test]
fn figures_that_contradict_each_other_are_named() {
    let with = |figures: &str| {
        let found = made(&[DATA_CENTRE, "[announced]", figures]);
        found.contradictions.join("\n")
    };
    for (figures, part) in [
        (
            "sequential_writes = \"1000 MB/s\"\nrandom_writes = 300000",
            "1229 MB/s, more than the 1000 MB/s of writes in order",
        ),
        (
            "sequential_reads = \"9000 MB/s\"",
            "sequential reads of 9000 MB/s: the model gives",
        ),
        ("random_reads = \"9M\"", "random reads of 9000000 IOPS"),
        ("read_latency = \"20 us\"", "read latency of 20.0 us"),
        (
            "sequential_writes = \"2000 MB/s\"\nrandom_writes = 400000",
            "more than its nominal size",
        ),
        (
            "sequential_writes = \"2000 MB/s\"\nrandom_writes = 120000\ndrive_writes_per_day = 9",
            "the life that is promised takes",
        ),
    ] {
        let said = with(figures);
        assert!(said.contains(part), "{figures}: {said}");
    }
}

#[test]
fn dies_that_are_no_power_of_two_get_a_parity_that_their_stripes_can_have() {
    let found = made(&[
        DATA_CENTRE,
        "dies = 40",
        "[announced]\nsequential_writes = \"2000 MB/s\"",
    ]);
    assert_eq!(numbers::count_of(&found.file, "map.stripe_dies"), Some(40));
    assert!(
        (number(&found, "nand.t_program") - 3600.0).abs() < 400.0,
        "{:?}",
        found.fitted
    );
}

#[test]
fn a_small_drive_has_smaller_dies_and_not_fewer_channels() {
    let head = "class = \"client\"\nflash = \"TLC\"\ncapacity = \"250 GB\"";
    let found = made(&[head, "[announced]\nsequential_reads = \"3500 MB/s\""]);
    assert!(
        found.contradictions.is_empty(),
        "{:?}",
        found.contradictions
    );
    let count = |key| numbers::count_of(&found.file, key);
    assert_eq!(
        (count("map.stripe_dies"), count("nand.channels")),
        (Some(8), Some(8))
    );
    assert_eq!(count("nand.blocks_per_die"), Some(1920));
}

/// One announced figure: the least that a sheet says.
const SOME: &str = "[announced]\nrandom_reads = 100000";

/// What makes a sheet none, and a part of the message.
const NONE: &[(&[&str], &str)] = &[
    (&[SOME], "`class` is missing"),
    (&[DATA_CENTRE], "announced: it has no figure"),
    (
        &[DATA_CENTRE, "colour = \"red\"", SOME],
        "at line 9, column 1: `colour` is no key of a sheet",
    ),
    (
        &[DATA_CENTRE, "[announced]\nrandom_reads = \"9 us\""],
        "announced.random_reads",
    ),
    (
        &[DATA_CENTRE, "[announced]\nsequential_reads = 9"],
        "has no unit",
    ),
    (
        &[DATA_CENTRE, "die = \"512 Gb\"", SOME],
        "die: `512 Gb` is no size of a die",
    ),
    (
        &[DATA_CENTRE, "dies = 2", SOME],
        "dies: 2 of 512 Gbit hold less",
    ),
    (
        &[DATA_CENTRE, "dies = 33", SOME],
        "33 do not divide over 8 channels",
    ),
    (&[DATA_CENTRE, "dram = 0", SOME], "dram: "),
    (
        &[DATA_CENTRE, "dram = \"none\"", SOME],
        "dram: \"none\", and generic-dc-tlc-1920 has memory for its whole map",
    ),
    (
        &[
            DATA_CENTRE,
            "base = \"samsung-850-evo-250\"\ndram = \"none\"",
            SOME,
        ],
        "samsung-850-evo-250 has memory for its whole map",
    ),
    (&[DATA_CENTRE, "base = \"nothing\"", SOME], "base: "),
    (
        &[DATA_CENTRE, SOME, "[nand]\nt_reed = \"50 us\""],
        "at line 12, column 1: unknown key `nand.t_reed`",
    ),
    (
        &[DATA_CENTRE, SOME, "[from]\nrandom_reads = [\"M9999\"]"],
        "no figure is called `M9999`",
    ),
    (
        &[DATA_CENTRE, SOME, "[from]\nreads = [\"M0384\"]"],
        "from.reads: it is none of",
    ),
    (
        &[
            "class = \"data-centre\"\nflash = \"TLC\"\ncapacity = \"15.36 TB\"",
            SOME,
        ],
        "capacity: the model addresses less than 16 TiB",
    ),
    (
        &[
            "class = \"data-centre\"\nflash = \"QLC\"\ncapacity = \"4 TB\"",
            SOME,
        ],
        "no class of ftlab is data-centre with QLC",
    ),
];

#[test]
fn a_sheet_that_is_none_is_refused_with_the_place() {
    for (rest, part) in NONE {
        let why = sheet(rest)
            .and_then(|sheet| from_sheet(&sheet, &Catalog::default()))
            .unwrap_err()
            .to_string();
        assert!(
            why.starts_with("x.sheet.toml: ") && why.contains(part),
            "{part}: {why}"
        );
    }
}
