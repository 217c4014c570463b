//! Short forms of numbers, bases, places in errors, and the facts that a list of drives shows.

use super::*;
use ftlab_host::Port;

const GENERIC: &str = include_str!("../../drives/generic-mlc-8.toml");

/// The file with its numbers in short forms, as far as their notes are no more than that.
fn short() -> String {
    let of_line = |line: &str| {
        let Some((key, rest)) = line.split_once(" = { value = ") else {
            return line.to_owned();
        };
        let (value, rest) = rest.split_once(", unit = \"").expect("a number has a unit");
        let (unit, _) = rest.split_once('"').expect("it ends");
        match unit {
            "1" => format!("{key} = {value}"),
            unit => format!("{key} = \"{value} {unit}\""),
        }
    };
    let lines: Vec<String> = GENERIC.lines().map(of_line).collect();
    lines.join("\n")
}

/// What is wrong with a text.
fn refused(text: &str) -> String {
    let read = Catalog::default().parse("d", text, &[]);
    read.unwrap_err().to_string()
}

#[test]
fn a_file_of_short_forms_is_the_same_drive() {
    let (long, short) = (
        Catalog::default().parse("d", GENERIC, &[]).unwrap(),
        Catalog::default().parse("d", &short(), &[]).unwrap(),
    );
    let numbers = |file: &DriveFile| -> Vec<(String, f64, String)> {
        let rows = file.parameters().into_iter();
        let rows = rows.filter(|row| !row.source.is_empty());
        rows.map(|row| (row.key, row.value.parse().unwrap(), row.unit))
            .collect()
    };
    assert_eq!(numbers(&long), numbers(&short));
    for row in short.parameters() {
        let is_number = !row.source.is_empty();
        if is_number {
            assert_eq!(
                (&*row.source, &*row.confidence),
                ("assumed", "low"),
                "{}",
                row.key
            );
        }
    }
    // What is set takes the unit of a short form, as it takes that of a long one.
    let set = short.with(&["nand.t_read=60".to_owned()]).unwrap();
    let row = set
        .parameters()
        .into_iter()
        .find(|row| row.key == "nand.t_read");
    let row = row.unwrap();
    assert_eq!((&*row.value, &*row.unit, &*row.source), ("60", "us", "set"));
    assert_eq!(
        short.text().parse::<toml::Table>().unwrap()["nand"]["t_read"]["unit"].as_str(),
        Some("us")
    );
}

#[test]
fn an_error_of_a_file_says_the_line_and_the_key() {
    let lines = |key: &str| {
        GENERIC
            .lines()
            .position(|line| line.starts_with(key))
            .unwrap()
            + 1
    };
    for (from, to, key, why) in [
        (
            "t_read = {",
            "t_read = 49 # {",
            "t_read",
            "49 has no unit; write it as \"49 ns\", with one of ns, us, ms, s in `nand.t_read`",
        ),
        (
            "t_read = {",
            "t_read = \"49 parsecs\" # {",
            "t_read",
            "unit `parsecs` is none of",
        ),
        (
            "channels = {",
            "channels = 0 # {",
            "channels",
            "0: it must be above 0",
        ),
        (
            "channels = {",
            "channels = [4] # {",
            "channels",
            "expected a number: 4, or {",
        ),
        (
            "t_erase = {",
            "t_erase = \"0 ms\" # {",
            "t_erase",
            "0 ms: it must be above 0",
        ),
        (
            "t_erase = {",
            "t_eraze = {",
            "t_er",
            "unknown key `nand.t_eraze` (did you mean t_erase or",
        ),
    ] {
        let text = GENERIC.replacen(from, to, 1);
        let told = refused(&text);
        let place = format!("d: at line {}, column 1: ", lines(key));
        assert!(told.starts_with(&place) && told.contains(why), "{told}");
    }
    let told = refused("");
    assert_eq!(
        told,
        "d: `schema` is missing: a drive file begins with schema = 1"
    );
    for key in ["kind", "name", "summary"] {
        let text = GENERIC.replacen(&format!("{key} = "), "# ", 1);
        let told = refused(&text);
        assert!(
            told.contains(&format!("`{key}` is missing: give ")),
            "{told}"
        );
    }
    let set = Catalog::default().parse("d", GENERIC, &["nand.t_read=0".to_owned()]);
    let told = set.unwrap_err().to_string();
    assert!(told.contains("0 us: it must be above 0"), "{told}");
    assert!(told.contains("--set nand.t_read=0"), "{told}");
}

#[test]
fn what_takes_time_cannot_be_set_to_none() {
    for (drive, keys) in [
        (
            "generic-mlc-8",
            &[
                "nand.t_read",
                "nand.t_program",
                "nand.t_erase",
                "nand.channel_rate",
                "nand.channels",
                "queue.depth",
            ][..],
        ),
        ("samsung-970-evo-500", &["slc.t_read", "slc.t_program"][..]),
        ("wd-raptor-150", &["disk.rpm"][..]),
        ("ramdisk-8gb", &["ram.copy_rate"][..]),
    ] {
        for key in keys {
            let told = Catalog::default()
                .load(drive, &[format!("{key}=0")])
                .unwrap_err()
                .to_string();
            assert!(
                told.contains("must be above 0") && told.contains(key),
                "{told}"
            );
        }
    }
    // What is not of flash may take no time: an ideal firmware decides at once, and an ideal arm is there at once.
    for (drive, keys) in [
        (
            "generic-mlc-8",
            [
                "firmware.read_command",
                "firmware.write_command",
                "link.command",
            ],
        ),
        (
            "wd-raptor-150",
            ["disk.seek_track", "disk.write_settle", "disk.head_switch"],
        ),
    ] {
        let ideal = keys.map(|key| format!("{key}=0"));
        assert!(Catalog::default().load(drive, &ideal).is_ok(), "{drive}");
    }
}

#[test]
fn every_drive_says_what_a_list_shows() {
    for slug in Catalog::drives() {
        let file = Catalog::default().load(slug, &[]).unwrap();
        let in_name = file
            .name()
            .rsplit_once('(')
            .map(|(_, rest)| rest.trim_end_matches(')'));
        if let Some(year) = in_name.and_then(|words| words.parse().ok()) {
            assert_eq!(file.year(), Some(year), "{slug}");
        }
        let of_nobody = slug.starts_with("generic") || file.class() == Some(Class::Cloud);
        assert_eq!(file.year().is_none(), of_nobody, "{slug}");
        assert_eq!(file.flash().is_some(), file.kind() == Kind::Ssd, "{slug}");
        assert!(file.class().is_some(), "{slug}");
        // The cable of this one outruns every port.
        let has_none = file.kind() == Kind::Ram || slug == "generic-mlc-8";
        assert_eq!(file.interface().is_none(), has_none, "{slug}");
    }
    let facts = |slug: &str| {
        let file = Catalog::default().load(slug, &[]).unwrap();
        (file.year(), file.interface(), file.flash(), file.class())
    };
    let is = |words: &str| Some(words.to_owned());
    assert_eq!(
        facts("samsung-pm9a3-960"),
        (
            Some(2021),
            is("PCIe 4.0 x4"),
            Some(Flash::Tlc),
            Some(Class::DataCentre)
        )
    );
    assert_eq!(
        facts("wd-raptor-150"),
        (
            Some(2006),
            is(Port::Sata1500.words()),
            None,
            Some(Class::Disk)
        )
    );
}

#[test]
fn what_a_list_shows_is_of_words_that_there_are() {
    for (from, why) in [
        ("flash = \"MLC\"", "flash"),
        ("class = \"client\"", "class"),
    ] {
        let text = GENERIC.replacen(from, &format!("{why} = \"PLC\""), 1);
        let told = refused(&text);
        assert!(
            told.contains("unknown variant `PLC`, expected one of"),
            "{told}"
        );
    }
}

#[test]
fn a_list_of_tables_is_shown_key_by_key() {
    let rows = Catalog::default()
        .load("samsung-970-evo-500", &[])
        .unwrap()
        .parameters();
    let value = |key: &str| {
        let row = rows.iter().find(|row| row.key == key);
        row.map(|row| format!("{} {}", row.value, row.unit))
    };
    assert_eq!(value("power.states[1].power").as_deref(), Some("40 mW"));
    assert_eq!(value("power.states[2].name").as_deref(), Some("PS4 "));
    assert_eq!(value("power.states"), None);
}

#[test]
fn a_drive_that_comes_along_is_a_base() {
    let head = "schema = 1\nkind = \"ssd\"\nbase = \"samsung-pm9a3-960\"\n";
    let text = format!("{head}name = \"Mine\"\nsummary = \"Mine.\"\n[nand]\nt_read = \"60 us\"\n");
    let mine = Catalog::default().parse("mine", &text, &[]).unwrap();
    let whole = crate::Catalog::default()
        .load("samsung-pm9a3-960", &[])
        .unwrap();
    assert_eq!((mine.name(), mine.slug()), ("Mine", "mine"));
    assert_eq!(mine.capacity_bytes(), whole.capacity_bytes());
    let differs = |(mine, whole): (ParameterRow, ParameterRow)| {
        (mine.value != whole.value).then_some(mine.key)
    };
    let rows = mine.parameters().into_iter().zip(whole.parameters());
    assert_eq!(
        rows.filter_map(differs).collect::<Vec<_>>(),
        ["nand.t_read"]
    );
}

#[test]
fn blocks_that_do_not_divide_over_the_planes_are_told_in_the_file_s_own_numbers() {
    let settings = ["nand.blocks_per_die=2275".to_owned()];
    let error = crate::Catalog::default()
        .load("samsung-pm9a3-960", &settings)
        .unwrap_err();
    let error = error.to_string();
    assert!(
        error.contains("2275 blocks") && error.contains("planes_per_die, 4"),
        "{error}"
    );
    assert!(error.contains("2272 and 2276"), "{error}");
}
