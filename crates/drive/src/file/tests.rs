use super::*;

fn parse(text: &str) -> Result<DriveFile, DriveError> {
    DriveFile::parse("test", text, &[])
}

#[test]
fn every_drive_that_comes_along_can_be_built() {
    let testbed = Catalog::testbed("anandtech-2008").unwrap();
    for slug in Catalog::drives() {
        let file = Catalog::load(slug, &[]).unwrap();
        let drive = file.build(&testbed, ftlab_base::RootSeed(1)).unwrap();
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

const GENERIC: &str = include_str!("../../../../drives/generic-mlc-8.toml");

fn error(text: &str, settings: &[&str]) -> String {
    let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
    DriveFile::parse("test", text, &settings)
        .unwrap_err()
        .to_string()
}

#[test]
fn wrong_files_are_refused_with_place_and_reason() {
    let unknown = GENERIC.replace("[gc]", "[gc]\npolcy = \"greedy\"");
    assert!(error(&unknown, &[]).contains("unknown field `polcy`, expected `policy` or `reserve`"));
    let missing = GENERIC.replace("t_read", "t_raed");
    assert!(error(&missing, &[]).contains("t_raed"));
    let unit = GENERIC.replace("value = 50, unit = \"us\"", "value = 50, unit = \"KiB\"");
    assert!(error(&unit, &[]).contains("unit `KiB` is none of: ns, us, ms, s"));
    assert!(error("schema = 1\nkind = ", &[]).contains("line 2"));
    assert!(error(&GENERIC.replace("schema = 1", "schema = 9"), &[]).contains("schema 9"));
}

#[test]
fn impossible_settings_are_refused() {
    for (setting, why) in [
        ("spare.op=0", "must be above 0"),
        ("gc.policy=fastest", "none of: greedy, fifo"),
        ("gc.reserve=1", "at least 2"),
        ("nand.channels=0", "must be above 0"),
        ("map.stripe_dies=5", "does not divide"),
        ("spare.opp=0.1", "unknown field `opp`"),
        ("map.slot=2KiB", "the least is 4 KiB"),
        ("nand.blocks_per_die=4", "do not fit"),
        ("buffer.size=1KiB", "must hold a slot"),
        ("nand.t_program=2e10s", "beyond anything"),
        ("gc.reserve=1677722", "a group has only"),
    ] {
        let message = error(GENERIC, &[setting]);
        assert!(message.contains(why), "{setting}: {message}");
    }
}

#[test]
fn over_provisioning_is_of_the_user_capacity_with_the_reserve_set_aside() {
    let file = DriveFile::parse("test", GENERIC, &["spare.op=0.25".to_string()]).unwrap();
    let usable = (8_u64 << 30) - 16 * (5 << 19);
    let op = usable as f64 / file.capacity_bytes() as f64 - 1.0;
    assert!((op - 0.25).abs() < 1e-5, "{op}");
}

#[test]
fn a_setting_changes_the_hash_and_shows_in_the_sheet() {
    let plain = parse(GENERIC).unwrap();
    let set = DriveFile::parse("test", GENERIC, &["nand.t_read=60".to_string()]).unwrap();
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
        Catalog::load("jmf602-mlc-64", &[]).unwrap().slug(),
        "ocz-core-jmf602"
    );
    let message = Catalog::load("intel-x25-m-g1", &[]).map(|d| d.slug().to_string());
    assert_eq!(message.unwrap(), "intel-x25-m-g1-80");
    let message = Catalog::load("intel-x25m", &[]).unwrap_err().to_string();
    assert!(
        message.contains("did you mean intel-x25-m-g1-80"),
        "{message}"
    );
    let message = Catalog::load("./nowhere.toml", &[])
        .unwrap_err()
        .to_string();
    assert!(
        message.starts_with("cannot read ./nowhere.toml"),
        "{message}"
    );
}
