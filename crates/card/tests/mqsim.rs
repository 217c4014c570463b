//! What a drive and a load become for MQSim, and that `ftlab import` reads the same numbers out of it.

use ftlab_card::{Asked, Card, Planes, Target, Unit, Way};
use ftlab_drive::{Catalog, DriveFile};
use ftlab_import::Text;
use ftlab_workload::JobFile;

fn drive(name: &str, settings: &[&str]) -> DriveFile {
    let settings: Vec<String> = settings.iter().map(|&set| set.to_owned()).collect();
    Catalog::default().load(name, &settings).unwrap()
}

fn card(drive: &DriveFile, job: Option<&str>, unit: Unit) -> Result<Card, String> {
    card_with(drive, job, (unit, Planes::Apart))
}

fn card_with(
    drive: &DriveFile,
    job: Option<&str>,
    (unit, planes): (Unit, Planes),
) -> Result<Card, String> {
    let jobs = job.map(|text| JobFile::parse(text, "load.fio").unwrap());
    let asked = Asked {
        drive,
        load: jobs.as_ref().map(|jobs| ("load.fio", jobs)),
        filled: true,
        unit,
        planes,
        off: &[],
    };
    let Way::Drive { write, .. } = Target::named("mqsim").unwrap().way else {
        panic!("it is written from a drive file");
    };
    write(&asked).map_err(|error| error.to_string())
}

fn text<'a>(card: &'a Card, name: &str) -> &'a str {
    let file = card.files.iter().find(|(file, _)| file == name);
    &file.unwrap_or_else(|| panic!("no {name}")).1
}

/// The value of the first element of a name.
fn value<'a>(xml: &'a str, key: &str) -> &'a str {
    let (_, rest) = xml.split_once(&format!("<{key}>")).unwrap();
    rest.split_once('<').unwrap().0
}

/// The drive that `ftlab import` makes of a card, and its jobs.
fn back(card: &Card) -> (DriveFile, Vec<String>) {
    let file = |name: &'static str| Text {
        name,
        text: text(card, name),
    };
    let has_load = card.files.len() > 1;
    let workload = has_load.then(|| file("workload.xml"));
    let imported = ftlab_import::mqsim(&file("ssdconfig.xml"), workload.as_ref()).unwrap();
    let drive = Catalog::default()
        .parse("back", &imported.drive, &[])
        .unwrap();
    (
        drive,
        imported.jobs.into_iter().map(|job| job.text).collect(),
    )
}

/// A number in nanoseconds, bytes, bytes a second or as it is.
fn number(drive: &DriveFile, key: &str) -> f64 {
    let rows = drive.parameters();
    let row = rows.iter().find(|row| row.key == key);
    let row = row.unwrap_or_else(|| panic!("{} has no {key}", drive.slug()));
    let worth = match row.unit.as_str() {
        "us" => 1e3,
        "ms" => 1e6,
        "KiB" => 1024.0,
        "MiB" => 1_048_576.0,
        "MB/s" => 1e6,
        "GB/s" => 1e9,
        _ => 1.0,
    };
    row.value.parse::<f64>().unwrap() * worth
}

#[track_caller]
fn near(there: f64, here: f64, what: &str) {
    assert!(
        (there / here - 1.0).abs() < 2e-3,
        "{what}: {there} of {here}"
    );
}

const GEOMETRY: [&str; 7] = [
    "nand.channels",
    "nand.dies_per_channel",
    "nand.planes_per_die",
    "nand.blocks_per_die",
    "nand.pages_per_block",
    "nand.page",
    "nand.page_spare",
];

#[test]
fn what_is_read_back_is_the_same_drive() {
    let drives = [
        "generic-mlc-8",
        "samsung-830-256",
        "intel-p3700-800",
        "samsung-pm9a3-960",
        "kioxia-cm7-r-3840",
    ];
    for name in drives {
        let own = drive(name, &[]);
        let (theirs, _) = back(&card(&own, None, Unit::Page).unwrap());
        for key in GEOMETRY {
            assert_eq!(number(&theirs, key), number(&own, key), "{name} {key}");
        }
        let rate = "nand.channel_rate";
        // MQSim takes whole nanoseconds and whole millions of transfers.
        let apart = number(&theirs, rate) / number(&own, rate) - 1.0;
        assert!(apart.abs() < 0.01, "{name}: {apart}");
        for key in ["nand.t_read", "nand.t_erase", "scheduling.suspend_left_min"] {
            if !own.parameters().iter().any(|row| row.key == key) {
                continue;
            }
            near(
                number(&theirs, key),
                number(&own, key),
                &format!("{name} {key}"),
            );
        }
        let rows = own.parameters();
        let together = rows.iter().any(|row| row.key == "nand.pages_per_program");
        let together = if together {
            number(&own, "nand.pages_per_program")
        } else {
            1.0
        };
        near(
            number(&theirs, "nand.t_program") * together,
            number(&own, "nand.t_program"),
            name,
        );
        let page = number(&own, "nand.page") as u64;
        // A page less at most: a drive file has twelve digits of a size.
        let less = (own.capacity_bytes() / page * page).abs_diff(theirs.capacity_bytes());
        assert!(less <= page, "{name}: {less} bytes");
        near(
            number(&theirs, "queue.depth"),
            number(&own, "queue.depth"),
            name,
        );
        if own.is_nvme() {
            near(
                theirs.link_bytes_s().unwrap() as f64,
                own.link_bytes_s().unwrap() as f64,
                name,
            );
        }
    }
}

#[test]
fn slots_as_pages_hold_and_move_as_much() {
    let own = drive("samsung-pm9a3-960", &[]);
    let card = card(&own, None, Unit::Slot).unwrap();
    let (theirs, _) = back(&card);
    assert_eq!(number(&theirs, "nand.page"), 4096.0);
    assert_eq!(theirs.raw_bytes(), own.raw_bytes());
    assert_eq!(theirs.capacity_bytes(), own.capacity_bytes() / 4096 * 4096);
    // Three pages of four slots are programmed together.
    near(
        number(&theirs, "nand.t_program") * 12.0,
        number(&own, "nand.t_program"),
        "t_program",
    );
    near(
        number(&theirs, "nand.t_read"),
        number(&own, "nand.t_read"),
        "t_read",
    );
}

#[test]
fn joined_planes_hold_and_program_as_much() {
    let own = drive("samsung-pm9a3-960", &[]);
    for (unit, pages) in [(Unit::Page, 4.0), (Unit::Slot, 16.0)] {
        let card = card_with(&own, None, (unit, Planes::Joined)).unwrap();
        let (theirs, _) = back(&card);
        assert_eq!(number(&theirs, "nand.planes_per_die"), 1.0);
        assert_eq!(theirs.raw_bytes(), own.raw_bytes());
        let all = number(&own, "nand.pages_per_block") * pages;
        assert_eq!(number(&theirs, "nand.pages_per_block"), all);
        // The three pages of a word line on each plane are programmed together.
        near(
            number(&theirs, "nand.t_program") * 3.0 * pages,
            number(&own, "nand.t_program"),
            "t_program",
        );
        assert!(
            card.remarks
                .iter()
                .any(|remark| remark.starts_with("nand.planes_per_die 4: joined"))
        );
    }
}

#[test]
fn every_number_is_written_or_told_as_dropped() {
    let own = drive("samsung-980-pro-1000", &[]);
    let card = card(&own, None, Unit::Page).unwrap();
    for row in own.parameters() {
        let is_written = card.written.iter().any(|of| of.from.contains(&row.key));
        let is_dropped = card.dropped.iter().any(|of| of.key == row.key);
        // These are part of what other keys say.
        let is_part = [
            "map.slot",
            "nand.t_read_spread",
            "nand.pages_per_program",
            "spare.op",
            "map.scheme",
        ]
        .contains(&row.key.as_str());
        assert!(is_written || is_dropped || is_part, "{} is gone", row.key);
    }
    let xml = text(&card, "ssdconfig.xml");
    let slc = card
        .dropped
        .iter()
        .find(|row| row.key.starts_with("slc."))
        .unwrap();
    assert!(slc.decides_speed, "{slc:?}");
    assert!(
        xml.contains(&format!("{} = {}: {}", slc.key, slc.value, slc.why)),
        "{xml}"
    );
    for row in &card.assumed {
        assert!(
            xml.contains(&format!("  {} = {}: ", row.key, row.value)),
            "{row:?}"
        );
    }
    assert!(
        card.dropped
            .iter()
            .any(|row| row.key.starts_with("power.") && !row.decides_speed)
    );
}

#[test]
fn a_channel_takes_whole_nanoseconds() {
    for (rate, width, transfers) in [
        ("40MB/s", 1, 40),
        ("1200MB/s", 6, 200),
        ("333MB/s", 1, 333),
        ("800MB/s", 4, 200),
    ] {
        let own = drive("generic-mlc-8", &[&format!("nand.channel_rate={rate}")]);
        let card = card(&own, None, Unit::Page).unwrap();
        let xml = text(&card, "ssdconfig.xml");
        let got = [
            value(xml, "Flash_Channel_Width"),
            value(xml, "Channel_Transfer_Rate"),
        ];
        let product = got.map(|number| number.parse::<u32>().unwrap());
        assert_eq!(
            product[0] * product[1],
            width * transfers,
            "{rate}: {got:?}"
        );
        assert!(product[1] <= 1000, "{got:?}");
    }
}

#[test]
fn jobs_become_flows_and_flows_the_same_jobs() {
    let own = drive("intel-p3700-800", &[]);
    let load = "[global]\nnorandommap\n[mix]\nrw=randrw\nrwmixread=70\nbs=8k\niodepth=4\nsize=50%\nnumber_ios=5000\n\
                [rated]\nrw=randwrite\nrate_iops=2000\nrate_process=poisson\niodepth=16\ntime_based\nruntime=2\nfsync=32\n";
    let card = card(&own, Some(load), Unit::Page).unwrap();
    let (_, jobs) = back(&card);
    let jobs = JobFile::parse(&jobs[0], "back.fio").unwrap();
    let [mix, rated] = jobs.jobs.as_slice() else {
        panic!("{} jobs", jobs.jobs.len());
    };
    assert_eq!(
        (
            mix.pattern.rwmixread,
            mix.sizes.bs.read,
            mix.submission.iodepth
        ),
        (70, 8192, 4)
    );
    assert_eq!(mix.length.number_ios, Some(5000));
    assert_eq!(rated.pace.rate_iops.write, Some(2000));
    assert_eq!(rated.length.runtime.unwrap().0, 2_000_000_000);
    let xml = text(&card, "workload.xml");
    assert_eq!(value(xml, "Working_Set_Percentage"), "50");
    assert_eq!(value(xml, "Initial_Occupancy_Percentage"), "50");
    assert_eq!(value(text(&card, "ssdconfig.xml"), "IO_Queue_Depth"), "17");
    let fsync = card
        .dropped
        .iter()
        .find(|row| row.key == "rated: fsync")
        .unwrap();
    assert!(fsync.decides_speed);
    assert!(
        card.remarks
            .iter()
            .any(|remark| remark.contains("equal parts")),
        "{:?}",
        card.remarks
    );
}

#[test]
fn what_mqsim_cannot_be_is_refused_with_a_way_out() {
    let of_drive =
        |name: &str, settings: &[&str]| card(&drive(name, settings), None, Unit::Page).unwrap_err();
    let disk = of_drive("wd-caviar-black-2tb", &[]);
    assert!(
        disk.contains("a hard disk") && disk.contains("`ftlab drives`"),
        "{disk}"
    );
    let ram = of_drive("ramdisk-8gb", &[]);
    assert!(ram.contains("RAM disk"), "{ram}");
    let block = of_drive("ocz-core-jmf602", &[]);
    assert!(block.contains("map.scheme is `block`"), "{block}");
    let packed = of_drive("ocz-vertex2", &[]);
    assert!(packed.contains("map.scheme is `packed`"), "{packed}");

    let own = drive("generic-mlc-8", &[]);
    let of_job =
        |words: &str| card(&own, Some(&format!("[a]\n{words}\n")), Unit::Page).unwrap_err();
    let trims = of_job("rw=randtrim");
    assert!(
        trims.starts_with("load.fio") && trims.contains("no trims"),
        "{trims}"
    );
    let zipf = of_job("rw=randread\nrandom_distribution=zipf:1.1");
    assert!(
        zipf.contains("random_distribution") && zipf.contains("zoned:60/40:40/60"),
        "{zipf}"
    );
    let sizes = of_job("rw=read\nbsrange=4k-8k");
    assert!(sizes.contains("one size"), "{sizes}");
    let many = of_job("rw=read\nnumjobs=9");
    assert!(
        many.contains("9 jobs") && many.contains("stonewall"),
        "{many}"
    );
}
