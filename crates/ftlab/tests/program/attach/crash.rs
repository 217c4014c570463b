//! Servers that are killed under load: what was flushed is there, and nothing is torn.

use super::block_device::{Block, Mount, Way, turn};
use super::client::Client;
use super::server::{Serve, said};
use ftlab_attach::control::{ControlRequest, Report, ask};
use ftlab_base::RootSeed;
use ftlab_nbd::protocol::RequestHeader;
use ftlab_nbd::protocol::constants::{
    NBD_CMD_FLAG_FUA, NBD_CMD_FLUSH, NBD_CMD_READ, NBD_CMD_TRIM, NBD_CMD_WRITE,
};
use rand::{Rng, RngExt};
use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::{self, BufRead, BufReader};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use tempfile::TempDir;

const SLOT_BYTES: u64 = 4096;

/// Slots that are written: few, so that each is written often, and collected.
pub const SLOTS: u64 = 2_000;

/// Small enough to collect garbage under the load.
pub const SMALL: [&str; 12] = [
    "--drive",
    "generic-mlc-8",
    "--set",
    "nand.blocks_per_die=16",
    "--set",
    "nand.pages_per_block=16",
    "--set",
    "spare.op=0.5",
    "--image",
    "disk.img",
    "--unix",
    "s",
];

/// What may be found in each slot: versions, the newest last; 0 for nothing.
pub struct Known {
    may_be: Vec<Vec<u64>>,
    /// Slots with more than one, perhaps.
    unsure: BTreeSet<u64>,
    /// Where in `may_be` that stands which was acknowledged last, and whether that alone is a promise, as on a drive with
    /// capacitors.
    acknowledged: Vec<usize>,
    keeps: bool,
    /// Slots that were found without what was acknowledged last.
    pub lost: u64,
    pub versions: u64,
}

impl Known {
    pub fn new() -> Known {
        Known {
            may_be: vec![vec![0]; SLOTS as usize],
            unsure: BTreeSet::new(),
            acknowledged: vec![0; SLOTS as usize],
            keeps: false,
            lost: 0,
            versions: 0,
        }
    }

    /// The same of a drive that keeps what it acknowledges.
    pub fn keeping() -> Known {
        Known {
            keeps: true,
            ..Known::new()
        }
    }

    /// The newest of a slot was acknowledged.
    pub fn acknowledged(&mut self, slot: u64) {
        self.acknowledged[slot as usize] = self.may_be[slot as usize].len() - 1;
        if self.keeps {
            self.safe(slot);
        }
    }

    pub fn sent(&mut self, slot: u64, version: u64) {
        self.may_be[slot as usize].push(version);
        self.unsure.insert(slot);
    }

    /// The newest is safe.
    pub fn safe(&mut self, slot: u64) {
        let may_be = &mut self.may_be[slot as usize];
        may_be.drain(..may_be.len() - 1);
        self.acknowledged[slot as usize] = 0;
    }

    /// Everything that was answered is safe.
    pub fn flushed(&mut self) {
        for slot in std::mem::take(&mut self.unsure) {
            self.safe(slot);
        }
    }

    /// Reads every slot.
    pub fn check(&mut self, client: &mut Client) {
        let mut found = vec![0; SLOT_BYTES as usize];
        for slot in 0..SLOTS {
            client
                .send(header(NBD_CMD_READ, 0, slot, slot), &[])
                .expect("it runs");
            assert_eq!(client.reply().expect("it runs"), (slot, 0));
            client.data(&mut found).expect("data");
            let version = version(slot, &found);
            let may_be = &mut self.may_be[slot as usize];
            let Some(found) = may_be.iter().rposition(|known| *known == version) else {
                panic!("slot {slot} has {version}, and may have {may_be:?}");
            };
            *may_be = vec![version];
            let acknowledged = std::mem::take(&mut self.acknowledged[slot as usize]);
            // What was under way and is there, a trim perhaps, is no loss.
            self.lost += u64::from(found < acknowledged);
        }
        self.unsure.clear();
    }
}

/// The data of a slot: who it is and which version, over and over.
pub fn data(slot: u64, version: u64) -> Vec<u8> {
    let words = [slot + 1, version].map(u64::to_le_bytes);
    // Whole copies: most of these tests' work is to make and compare such data.
    words.concat().repeat(SLOT_BYTES as usize / 16)
}

/// The version that a slot's data are of; 0 if there are none. Anything else is torn, or not its own.
fn version(slot: u64, found: &[u8]) -> u64 {
    let version = u64::from_le_bytes(*found[8..].first_chunk().expect("8 bytes"));
    if version == 0 {
        assert!(found == [0; SLOT_BYTES as usize], "slot {slot} is torn");
    } else {
        assert!(
            found == data(slot, version),
            "slot {slot} is torn, or another's"
        );
    }
    version
}

pub fn header(code: u16, flags: u16, cookie: u64, slot: u64) -> RequestHeader {
    let is_flush = code == NBD_CMD_FLUSH;
    RequestHeader {
        flags,
        code,
        cookie,
        offset_bytes: if is_flush { 0 } else { slot * SLOT_BYTES },
        length_bytes: if is_flush { 0 } else { SLOT_BYTES as u32 },
    }
}

/// Writes until the server is gone, which is an error. After so many answers this asks the killer to end the server, and goes on
/// meanwhile.
fn load(
    client: &mut Client,
    known: &mut Known,
    stream: &mut impl Rng,
    mut answers: u64,
    kill: &Sender<()>,
) -> io::Result<()> {
    loop {
        // Requests that are under way at once; no slot twice, as they are done in any order.
        let first = stream.random_range(0..SLOTS);
        let mut with_fua = Vec::new();
        let mut writes = Vec::new();
        let count = stream.random_range(1..24);
        for n in 0..count {
            let slot = (first + n * 83) % SLOTS;
            if client.trims && stream.random_ratio(1, 10) {
                known.sent(slot, 0);
                writes.push(slot);
                client.send(header(NBD_CMD_TRIM, 0, n, slot), &[])?;
                continue;
            }
            known.versions += 1;
            known.sent(slot, known.versions);
            writes.push(slot);
            let fua = stream.random_ratio(1, 8);
            let flags = if fua { NBD_CMD_FLAG_FUA } else { 0 };
            with_fua.extend(fua.then_some((n, slot)));
            let data = data(slot, known.versions);
            client.send(header(NBD_CMD_WRITE, flags, n, slot), &data)?;
        }
        for _ in 0..count {
            let (cookie, error) = client.reply()?;
            assert_eq!(error, 0);
            known.acknowledged(writes[cookie as usize]);
            answers = answers.saturating_sub(1);
            if answers == 0 {
                // Once is enough.
                let _ = kill.send(());
            }
            let safe = with_fua.iter().find(|(n, _)| *n == cookie);
            if let Some((_, slot)) = safe {
                known.safe(*slot);
            }
        }
        if stream.random_ratio(1, 3) {
            client.send(header(NBD_CMD_FLUSH, 0, 99, 0), &[])?;
            assert_eq!(client.reply()?, (99, 0));
            known.flushed();
        }
    }
}

/// What kills came to.
struct Survived {
    writes: u64,
    /// Those that were acknowledged and not flushed, and are gone.
    lost: u64,
    /// Pages that the drive programmed to move data.
    moved: u64,
}

/// Kills a server under load in each round, and finds what was flushed in the next. Rounds take turns with the
/// timings.
fn kill_and_restart(drive: &[&str], timings: &[&str], rounds: usize) -> Survived {
    let folder = TempDir::new().expect("a folder");
    let arguments = |round: usize| {
        let timing = timings[round % timings.len()];
        [drive, &["--timing", timing]].concat()
    };
    let mut stream = RootSeed(5).stream("load");
    let has_capacitors = CAPACITORS.contains(&drive[1]);
    let mut known = match has_capacitors {
        true => Known::keeping(),
        false => Known::new(),
    };
    for round in 0..rounds {
        let server = Serve::start(folder.path(), &arguments(round));
        let is_after_a_cut = server.said.contains("lost its power");
        assert_eq!(is_after_a_cut, round > 0, "{}", server.said);
        let mut client = Client::connect(&folder.path().join("s"));
        assert!(client.size_bytes >= SLOTS * SLOT_BYTES);
        known.check(&mut client);
        let answers = stream.random_range(50..1_000);
        let (kill, killed) = channel();
        let killer = thread::spawn(move || {
            killed.recv().expect("the load goes on");
            server.kill();
        });
        load(&mut client, &mut known, &mut stream, answers, &kill).expect_err("it is killed");
        killer.join().expect("no panic");
    }
    assert!(known.versions > rounds as u64, "something was written");
    // A stop in order loses nothing at all.
    let server = Serve::start(folder.path(), &arguments(rounds));
    let mut client = Client::connect(&folder.path().join("s"));
    known.check(&mut client);
    known.versions += 1;
    let newest = known.versions;
    client
        .send(header(NBD_CMD_WRITE, 0, 0, 7), &data(7, newest))
        .expect("it runs");
    assert_eq!(client.reply().expect("it runs"), (0, 0));
    known.may_be[7] = vec![newest];
    drop(client);
    server.stop();
    let server = Serve::start(folder.path(), &arguments(rounds));
    assert!(server.said.contains("closed in order"), "{}", server.said);
    known.check(&mut Client::connect(&folder.path().join("s")));
    if has_capacitors {
        assert_eq!(known.lost, 0, "capacitors keep what was acknowledged");
    }
    let control = folder.path().join("disk.img.control");
    let told = ask(&control, ControlRequest::Get("/statistics")).expect("it tells");
    let report: Report = serde_json::from_str(&told).expect("a report");
    Survived {
        writes: known.versions,
        lost: known.lost,
        moved: report.drive.counters.moved_programs,
    }
}

#[test]
fn a_killed_server_keeps_what_was_flushed_in_the_models_time_and_loses_some_of_the_rest() {
    let Survived { lost, .. } = kill_and_restart(&SMALL, &["model"], 12);
    assert!(
        lost > 0,
        "a program that forgets to flush would not be caught"
    );
}

#[test]
fn a_killed_server_keeps_what_was_flushed_without_time_and_loses_some_of_the_rest() {
    let Survived { lost, .. } = kill_and_restart(&SMALL, &["off"], 12);
    assert!(
        lost > 0,
        "a program that forgets to flush would not be caught"
    );
}

/// One with a cache of SLC that the load fills many times over.
const FOLDS: [&str; 28] = [
    "--drive",
    "generic-nvme-tlc-8",
    "--set",
    "nand.channels=1",
    "--set",
    "nand.dies_per_channel=2",
    "--set",
    "nand.planes_per_die=1",
    "--set",
    "map.stripe_dies=2",
    "--set",
    "nand.page=4KiB",
    "--set",
    "nand.blocks_per_die=80",
    "--set",
    "nand.pages_per_block=48",
    "--set",
    "spare.user_capacity=12MiB",
    "--set",
    "slc.own_size=512KiB",
    "--set",
    "slc.more_size=512KiB",
    "--set",
    "slc.when_full=fold",
    "--image",
    "disk.img",
    "--unix",
    "s",
];

#[test]
fn a_server_that_is_killed_while_it_folds_keeps_what_was_flushed() {
    let survived = kill_and_restart(&FOLDS, &["off", "model"], 8);
    assert!(survived.lost > 0, "nothing is ever lost");
    let Survived { writes, moved, .. } = survived;
    assert!(
        moved > writes / 4,
        "{moved} pages moved after {writes} writes"
    );
}

#[test]
fn an_image_that_forgives_loses_nothing_that_reached_the_flash() {
    let arguments = [&SMALL[..], &["--on-kill", "keep"]].concat();
    assert_eq!(kill_and_restart(&arguments, &["off"], 6).lost, 0);
}

/// Those whose write buffer survives a power cut.
const CAPACITORS: [&str; 2] = ["intel-320-120", "intel-dc-s3700-200"];

/// Pages in memory and on flash, blocks with log blocks of two kinds, packed with parity, and capacitors: with the small
/// drive and the one that folds.
const SOAKED: [&str; 6] = [
    "intel-x25-m-g1-80",
    "ocz-core-jmf602",
    "samsung-slc-64",
    "ocz-vertex3-120",
    CAPACITORS[0],
    CAPACITORS[1],
];

fn named(drive: &str) -> [&str; 8] {
    [
        "--drive", drive, "--size", "64m", "--image", "disk.img", "--unix", "s",
    ]
}

/// Many kills of a drive; `SOAK_KILLS` says how many.
fn soak(drive: &[&str]) {
    let kills = std::env::var("SOAK_KILLS").unwrap_or("75".into());
    let kills = kills.parse().expect("a number of kills");
    let Survived { writes, lost, .. } = kill_and_restart(drive, &["off", "model"], kills);
    println!(
        "{}: {kills} kills, {writes} writes, nothing lost that must not be, {lost} that may",
        drive[1]
    );
    assert_eq!(lost == 0, CAPACITORS.contains(&drive[1]), "{}", drive[1]);
}

#[test]
#[ignore = "minutes: make soak"]
fn eight_drives_keep_what_was_flushed_over_seventy_five_kills_each() {
    soak(&SMALL);
    soak(&FOLDS);
    SOAKED.iter().for_each(|drive| soak(&named(drive)));
}

#[test]
#[ignore = "minutes: make soak"]
fn a_disk_with_a_write_cache_keeps_what_was_flushed_over_seventy_five_kills() {
    soak(&named("wd-raptor-150"));
}

/// Flips a bit of the first batch of an image's journal.
fn damage_journal(image: &Path) {
    let file = OpenOptions::new().read(true).write(true).open(image);
    let file = file.expect("the image");
    let mut start = [0; 4];
    let at = (0..2 << 30).step_by(1 << 16).find(|&at| {
        file.read_exact_at(&mut start, at).expect("it is longer");
        start == *b"\x8fftb"
    });
    let at = at.expect("it has a journal") + 40;
    file.read_exact_at(&mut start, at).expect("a batch");
    start[0] ^= 1;
    file.write_all_at(&start, at).expect("a batch");
}

#[test]
fn an_image_whose_journal_has_a_hole_is_shown_and_takes_nothing() {
    let folder = TempDir::new().expect("a folder");
    let server = Serve::start(folder.path(), &SMALL);
    let socket = folder.path().join("s");
    let mut client = Client::connect(&socket);
    for slot in 0..20 {
        let write = header(NBD_CMD_WRITE, NBD_CMD_FLAG_FUA, slot, slot);
        client.send(write, &data(slot, 1)).expect("it runs");
        assert_eq!(client.reply().expect("it runs"), (slot, 0));
    }
    server.kill();
    damage_journal(&folder.path().join("disk.img"));
    let arguments = ["--image", "disk.img", "--unix", "s", "--read-only"];
    let server = Serve::start(folder.path(), &arguments);
    assert!(server.said.contains("which is damaged"), "{}", server.said);
    assert!(server.said.contains("flushed"), "{}", server.said);
    server.stop();
}

#[test]
fn a_killed_server_that_waits_for_the_disk_keeps_what_was_flushed() {
    for timing in ["model", "off"] {
        let arguments = [&SMALL[..], &["--sync"]].concat();
        let Survived { writes, lost, .. } = kill_and_restart(&arguments, &[timing], 5);
        assert!(
            lost < writes / 4,
            "{lost} of {writes} lost: more than a buffer has"
        );
    }
}

#[test]
fn a_second_signal_while_it_stops_cuts_the_power() {
    for (signal, timing) in [("INT", "model"), ("TERM", "off")] {
        let folder = TempDir::new().expect("a folder");
        let arguments = [&SMALL[..], &["--timing", timing]].concat();
        let mut stream = RootSeed(9).stream("load");
        let mut known = Known::new();
        let server = Serve::start(folder.path(), &arguments);
        let socket = folder.path().join("s");
        let mut client = Client::connect(&socket);
        // A client that does not take its answers: the stop waits for it, for seconds.
        let mut deaf = Client::connect(&socket);
        for n in 0..300 {
            deaf.send(header(NBD_CMD_READ, 0, n, n), &[])
                .expect("it runs");
        }
        let (kill, killed) = channel();
        let killer = thread::spawn(move || {
            killed.recv().expect("the load goes on");
            server.insist(signal)
        });
        load(&mut client, &mut known, &mut stream, 200, &kill).expect_err("it stops");
        let status = killer.join().expect("no panic");
        assert_eq!(status.code(), Some(130), "{signal}");
        assert!(known.versions > 100, "{} writes", known.versions);

        let server = Serve::start(folder.path(), &arguments);
        assert!(server.said.contains("lost its power"), "{}", server.said);
        known.check(&mut Client::connect(&socket));
        server.stop();
    }
}

/// Inserts rows one by one and says which are committed.
const WRITER: &str = "
import sqlite3, sys
base = sqlite3.connect(sys.argv[1], isolation_level=None)
base.execute('PRAGMA journal_mode=' + sys.argv[2])
# FULL leaves out to sync the folder after the journal is deleted, which is the commit.
base.execute('PRAGMA synchronous=EXTRA')
base.execute('CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, text TEXT)')
next = base.execute('SELECT coalesce(max(id), 0) + 1 FROM rows').fetchone()[0]
while True:
    base.execute('INSERT INTO rows VALUES (?, ?)', (next, str(next) * 400))
    print(next, flush=True)
    next += 1
";

/// Says what is in the database, and whether it is whole.
const READER: &str = "
import sqlite3, sys
base = sqlite3.connect(sys.argv[1])
print(base.execute('PRAGMA integrity_check').fetchone()[0])
print(base.execute('SELECT count(*), coalesce(max(id), 0) FROM rows').fetchone())
for id, text in base.execute('SELECT id, text FROM rows'):
    assert text == str(id) * 400, id
";

/// Writes to the database until the server is killed; the last row that was committed.
fn commit_until_killed(database: &Path, journal: &str, server: Serve, rows: u64) -> u64 {
    let mut writer = Command::new("python3")
        .args(["-c", WRITER])
        .arg(database)
        .arg(journal)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("`make setup` installs python3");
    let mut lines = BufReader::new(writer.stdout.take().expect("a pipe")).lines();
    let mut server = Some(server);
    let mut last = 0;
    let mut first = None;
    while let Some(Ok(line)) = lines.next() {
        last = line.parse().expect("a number");
        let first = *first.get_or_insert(last);
        if last - first >= rows
            && let Some(server) = server.take()
        {
            // From another thread, so that rows go on being committed meanwhile.
            thread::spawn(|| server.kill());
        }
    }
    let _ = writer.kill();
    let _ = writer.wait();
    assert!(server.is_none(), "only up to row {last}");
    last
}

#[test]
fn sqlite_keeps_every_commit_over_twenty_kills_of_the_server() {
    let Some(_turn) = turn("SQLite over kills of the server") else {
        return;
    };
    let folder = TempDir::new().expect("a folder");
    let [fuse, mnt] = ["fuse", "mnt"].map(|name| folder.path().join(name));
    std::fs::create_dir(&fuse).expect("a folder");
    let arguments = [
        "--drive",
        "generic-mlc-8",
        "--set",
        "nand.blocks_per_die=64",
        "--image",
        "disk.img",
        "--fuse",
        "fuse",
    ];
    let mut stream = RootSeed(6).stream("kills");
    let mut committed = 0;
    for round in 0..=20 {
        let server = Serve::start(folder.path(), &arguments);
        let block = Block::attach(Way::Own, &server, &fuse);
        if round == 0 {
            said("mkfs.ext4", &["-q", &block.device]);
        }
        let mount = Mount::new(&block, &mnt);
        let database = mount.folder.join("rows.db");
        if round > 0 {
            let path = database.to_str().expect("ASCII");
            let said = said("python3", &["-c", READER, path]);
            let count = format!("({committed}, {committed})");
            let one_more = format!("({0}, {0})", committed + 1);
            let lines: Vec<&str> = said.lines().collect();
            assert_eq!(lines[0], "ok", "round {round}: {said}");
            // The last commit may have been made and not told.
            let is_whole = lines[1] == count || lines[1] == one_more;
            assert!(
                is_whole,
                "round {round}: {said}, {committed} were committed"
            );
        }
        if round == 20 {
            mount.unmount();
            block.detach();
            server.stop();
            break;
        }
        // Both ways in which SQLite commits.
        let journal = ["delete", "wal"][round % 2];
        let rows = stream.random_range(3..12);
        committed = commit_until_killed(&database, journal, server, rows);
        drop(mount);
        drop(block);
    }
}
