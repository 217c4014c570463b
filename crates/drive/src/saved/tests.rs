use super::*;
use crate::counters::Counters;
use crate::file::Catalog;
use ftlab_base::rng::Stream;
use ftlab_base::{
    Command, CommandId, CommandKind, Completion, Content, Lba, Placement, RootSeed, SimTime,
    SubmissionQueue,
};
use ftlab_ftl::page::{POLICIES, Registered};
use ftlab_host::Testbed;
use rand::RngExt;

const GENERIC: &str = "generic-mlc-8";
const SMALL: [&str; 3] = [
    "nand.blocks_per_die=32",
    "nand.pages_per_block=4",
    "spare.op=0.9",
];
const DISK: &str = "wd-velociraptor-300";

/// Small drives of every kind, and every policy.
fn drives() -> Vec<DriveFile> {
    let with = |slug: &str, more: &[&str]| {
        let settings = SMALL.iter().chain(more).map(ToString::to_string);
        Catalog::default()
            .load(slug, &settings.collect::<Vec<_>>())
            .unwrap()
    };
    let policy = |registered: &Registered| {
        let parameters = registered.parameters.iter();
        let mut settings: Vec<String> = parameters.map(|p| format!("gc.{}=3", p.name)).collect();
        settings.push(format!("gc.policy={}", registered.name));
        let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
        with(GENERIC, &settings)
    };
    let mut drives: Vec<DriveFile> = POLICIES.iter().map(policy).collect();
    drives.extend([
        with(
            GENERIC,
            &[
                "gc.streams=by-host",
                "gc.handles=4",
                "gc.isolation=initially",
                "gc.reserve=5",
            ],
        ),
        with(
            GENERIC,
            &[
                "gc.streams=by-age",
                "gc.hot_age=0.2",
                "gc.reserve=4",
                "wear.allocation=least-worn",
                "wear.spread=3",
                "wear.every_collections=5",
            ],
        ),
        with(
            GENERIC,
            &["nand.planes_per_die=2", "nand.page=8KiB", "spare.op=1.5"],
        ),
        with(
            "intel-x25-m-g1-80",
            &["checkpoint.every=64KiB", "checkpoint.size=16KiB"],
        ),
        with(GENERIC, &["spare.op=2", "map.entry=256B", "map.dram=4KiB"]),
        with("ocz-core-jmf602", &["wear.every_merges=7"]),
        with("samsung-slc-64", &["wear.every_merges=5"]),
        with("ocz-vertex3-120", &["gc.reserve=2"]),
        Catalog::default().load(DISK, &[]).unwrap(),
    ]);
    drives
}

fn testbed() -> Testbed {
    Testbed::load("anandtech-2008").unwrap()
}

fn build(file: &DriveFile) -> Box<dyn Device> {
    file.build(&testbed(), RootSeed(1)).unwrap()
}

fn origin(file: &DriveFile) -> Origin {
    Origin::new("0", file, "tried", vec!["Tried.".into()], 7)
}

fn command(device: &dyn Device, id: u64, at: SimTime, stream: &mut Stream) -> Command {
    let kind = match stream.random_range(0..20) {
        0 => CommandKind::Trim,
        1 => CommandKind::Flush,
        2..6 => CommandKind::Read,
        _ => CommandKind::Write,
    };
    let sectors = stream.random_range(1..40);
    // Near the start of a disk, so that it has something in its caches.
    let span = device.capacity_sectors().min(1 << 16) - 40;
    Command {
        id: CommandId(id),
        kind,
        lba: Lba(stream.random_range(0..span)),
        sectors: if kind == CommandKind::Flush {
            0
        } else {
            sectors
        },
        content: match id % 5 {
            0 => Content::ZEROS,
            1 => Content::compressible(60),
            _ => Content::RANDOM,
        },
        queue: SubmissionQueue::FIRST,
        placement: Placement::DEFAULT,
        at,
    }
}

fn apply(device: &mut dyn Device, count: u64, stream: &mut Stream) {
    for id in 0..count {
        device.apply(command(device, id, SimTime::ZERO, stream));
    }
}

/// Commands on a clock, three at a time; gives the completions.
fn run(device: &mut dyn Device, count: u64, stream: &mut Stream) -> Vec<Completion> {
    let (mut now, mut sent, mut done) = (SimTime::ZERO, 0, Vec::new());
    while (done.len() as u64) < count {
        while sent < count && sent < done.len() as u64 + 3 {
            let command = command(device, sent, now, stream);
            device.submit(command, now);
            sent += 1;
        }
        now = device.next_event().expect("commands are outstanding");
        device.advance(now, &mut done);
    }
    done
}

fn loaded(file: &DriveFile, bytes: &[u8]) -> Result<Box<dyn Device>, SavedError> {
    let mut device = build(file);
    let read = read(&mut &*bytes, file, &mut *device)?;
    assert_eq!(read, origin(file));
    Ok(device)
}

/// Works with a drive, and returns its completions and totals, the hash of its operations among them.
fn go_on(device: &mut dyn Device, seed: u64) -> (Vec<Completion>, Counters) {
    let mut stream = RootSeed(seed).stream("after");
    apply(device, 500, &mut stream);
    let done = run(device, 500, &mut stream);
    (done, device.counters())
}

#[test]
fn a_loaded_drive_goes_on_as_the_saved_one() {
    for (n, file) in drives().iter().enumerate() {
        let mut stream = RootSeed(n as u64).stream("before");
        let mut device = build(file);
        for commands in [0, 50, 1500] {
            apply(&mut *device, commands, &mut stream);
            let saved = write(&origin(file), &*device);
            let mut other = loaded(file, &saved).unwrap();
            assert_eq!(other.counters(), device.counters());
            let mut same = device.snapshot();
            let here = go_on(&mut *same, commands);
            assert_eq!(
                go_on(&mut *other, commands),
                here,
                "{} {commands}",
                file.slug()
            );
        }
    }
}

#[test]
fn a_drive_saved_after_a_run_goes_on_as_one_that_was_not() {
    for file in drives().iter().filter(|file| file.slug() != DISK) {
        let mut stream = RootSeed(3).stream("timed");
        let mut device = build(file);
        apply(&mut *device, 800, &mut stream);
        run(&mut *device, 800, &mut stream);
        let now = SimTime(1 << 50);
        let flush = Command {
            kind: CommandKind::Flush,
            sectors: 0,
            ..command(&*device, 0, now, &mut stream)
        };
        device.submit(flush, now);
        while let Some(next) = device.next_event() {
            device.advance(next, &mut Vec::new());
        }
        device.apply(flush);
        let mut other = loaded(file, &write(&origin(file), &*device)).unwrap();
        let here = go_on(&mut *device.snapshot(), 1);
        assert_eq!(go_on(&mut *other, 1), here, "{}", file.slug());
    }
}

fn saved_small() -> (DriveFile, Vec<u8>) {
    let file = drives().swap_remove(0);
    let mut device = build(&file);
    apply(&mut *device, 1500, &mut RootSeed(1).stream("small"));
    let bytes = write(&origin(&file), &*device);
    (file, bytes)
}

fn refused(file: &DriveFile, bytes: &[u8]) -> String {
    loaded(file, bytes).map(drop).unwrap_err().to_string()
}

#[test]
fn every_flipped_bit_is_found() {
    let (file, good) = saved_small();
    let mut device = build(&file);
    for bit in 0..8 * good.len() {
        let mut bad = good.clone();
        bad[bit / 8] ^= 1 << (bit % 8);
        let found = read(&mut &*bad, &file, &mut *device);
        assert!(found.is_err(), "bit {bit} of {} bytes", good.len());
    }
}

#[test]
fn what_was_cut_off_or_added_to_is_found() {
    let (file, good) = saved_small();
    for length in 0..good.len() {
        let why = refused(&file, &good[..length]);
        let says = if length < 8 {
            "not a saved state"
        } else {
            "cut off"
        };
        assert!(why.contains(says), "{length}: {why}");
    }
    let longer = [&*good, b"\n"].concat();
    assert!(refused(&file, &longer).contains("cut off or added to"));
}

#[test]
fn each_damage_has_its_own_words() {
    let (file, good) = saved_small();
    let damaged = |at: usize, to: u8| {
        let mut bad = good.clone();
        bad[at] = to;
        refused(&file, &bad)
    };
    assert!(damaged(0, b'x').contains("not a saved state"));
    let next = FORMAT as u8 + 1;
    let other = format!("format {next}; this ftlab reads format {FORMAT}");
    assert!(damaged(8, next).contains(&other));
    assert!(damaged(good.len() - 1, !good[good.len() - 1]).contains("checksum"));
    assert!(refused(&file, b"[job]\nrw=randwrite\nbs=4k\n").contains("not a saved state"));
}

#[test]
fn sense_is_not_taken_from_a_right_checksum() {
    let (file, _) = saved_small();
    let cut = refused(&file, &frame::write(&origin(&file)));
    assert!(cut.contains("makes no sense"), "{cut}");
    let state = build(&file).save();
    let longer = refused(&file, &frame::write(&(origin(&file), &state, 0_u8)));
    assert!(longer.contains("something follows"), "{longer}");
    let disk = DeviceState::Flashless(Counters::default());
    let disk = refused(&file, &frame::write(&(origin(&file), disk)));
    assert!(disk.contains("it is of a drive without flash"), "{disk}");
    // A state of another drive that says it is of this one.
    for other in drives().iter().filter(|other| other.slug() != GENERIC) {
        let why = refused(&file, &frame::write(&(origin(&file), build(other).save())));
        assert!(
            why.contains("contradicts itself"),
            "{}: {why}",
            other.slug()
        );
    }
}

#[test]
fn a_state_of_more_than_the_drive_can_have_is_not_unpacked() {
    let (file, _) = saved_small();
    let most = state_bytes_max(build(&file).capacity_sectors());
    let bytes = frame::write(&(origin(&file), vec![0_u8; most as usize + 1]));
    assert!((bytes.len() as u64) < most / 100, "zeros pack well");
    let payload = frame::read(&mut &*bytes).unwrap();
    let mut unpacked = Unpacked::new(&*payload);
    unpacked.next::<Origin>(ORIGIN_BYTES_MAX).unwrap();
    let why = unpacked.next::<Vec<u8>>(most).unwrap_err().to_string();
    assert!(why.contains("that the drive can need"), "{why}");
    // Neither is an origin, which is read before anything is known of the drive.
    let texts = vec![String::new(); ORIGIN_BYTES_MAX as usize];
    let longer = Origin {
        steps: texts,
        ..origin(&file)
    };
    let why = refused(&file, &frame::write(&longer));
    assert!(why.contains("that the drive can need"), "{why}");
}

#[test]
fn no_state_of_any_drive_comes_near_the_most_that_is_unpacked() {
    for file in drives() {
        let mut device = build(&file);
        let sectors = device.capacity_sectors();
        apply(&mut *device, 3000, &mut RootSeed(4).stream("much"));
        let bytes = frame::write(&device.save());
        let packed = frame::read(&mut &*bytes).unwrap();
        let most = sectors * STATE_BYTES_A_SECTOR_MAX / 2 + 1024;
        let state = Unpacked::new(&*packed).next::<DeviceState>(most);
        assert!(state.is_ok(), "{}: more than {most} bytes", file.slug());
    }
}

#[test]
fn a_state_of_another_drive_is_refused_and_a_renamed_one_is_not() {
    let (file, good) = saved_small();
    let with = |settings: &[&str]| {
        let settings = SMALL.iter().chain(settings).map(ToString::to_string);
        Catalog::default()
            .load(GENERIC, &settings.collect::<Vec<_>>())
            .unwrap()
    };
    let why = refused(&with(&["nand.t_read=60"]), &good);
    assert!(
        why.contains("generic-mlc-8 with other settings; nand.t_read was 50 us and is 60 us"),
        "{why}"
    );
    let why = refused(
        &Catalog::default().load("samsung-slc-64", &[]).unwrap(),
        &good,
    );
    assert!(why.contains("generic-mlc-8, not samsung-slc-64"), "{why}");
    assert!(why.contains("more"), "{why}");
    // The same numbers with another note, under another name.
    let text = include_str!("../../drives/generic-mlc-8.toml");
    let text = text.replace("the benchmark set-up", "another note");
    let settings = SMALL.iter().map(ToString::to_string).collect::<Vec<_>>();
    let renamed = Catalog::default().parse("mine", &text, &settings).unwrap();
    assert_ne!(renamed.hash(), file.hash());
    let mut device = build(&renamed);
    read(&mut &*good, &renamed, &mut *device).unwrap();
}
