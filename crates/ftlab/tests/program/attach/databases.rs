//! Databases on a file system, on a drive that logs what it is written: of the states that a power cut could have left,
//! as `ftlab crash` draws them, none is without a row that was committed, unless the database was told not to flush.

use super::block_device::{Block, Mount, Way, turn};
use super::server::{Serve, json, run, said};
use crate::place::program;
use ftlab_attach::control::{ControlRequest, Mark, ask};
use serde_json::Value;
use std::fs::Permissions;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A folder with a drive and a log of what was written to it.
struct Place {
    folder: TempDir,
}

impl Place {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().expect("ASCII").to_owned()
    }

    /// Has something be done with the drive's file system mounted.
    fn mounted(&self, serve: &[&str], makes: bool, act: impl FnOnce(&Place)) {
        // Without time the drive programs nothing on its own: it can lose what fits into its buffer.
        let way = ["--image", "d.img", "--fuse", "fuse", "--timing", "off"];
        let server = Serve::start(self.folder.path(), &[&way, serve].concat());
        let block = Block::attach(Way::Own, &server, &self.path("fuse"));
        if makes {
            said("mkfs.ext4", &["-q", &block.device]);
        }
        let mount = Mount::new(&block, &self.path("mnt"));
        act(self);
        mount.unmount();
        block.detach();
        server.stop();
    }

    /// A drive on which something was prepared, and a log of what is done then.
    fn log(bytes: &str, prepare: impl FnOnce(&Place), act: impl FnOnce(&Place)) -> Place {
        let folder = TempDir::new().expect("a folder");
        // Databases run as users of their own.
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).expect("it is ours");
        std::fs::create_dir(folder.path().join("fuse")).expect("a folder");
        let place = Place { folder };
        let new = ["--drive", "generic-mlc-8", "--size", bytes];
        place.mounted(&new, true, prepare);
        place.mounted(&["--crash-log", "crash"], false, act);
        place
    }

    /// Marks in the crash log that `rows` rows are committed from now on.
    fn mark(&self, rows: u64) {
        let text = rows.to_string();
        let mark = serde_json::to_string(&Mark { text }).expect("JSON");
        ask(
            &self.path("d.img.control"),
            ControlRequest::Post("/mark", &mark),
        )
        .expect("it runs");
    }

    /// Verdict of `ftlab crash` on `states` states, each of which a script judges.
    fn crash(&self, script: &str, states: u32) -> Value {
        // In a namespace of its own, so that nothing stays mounted however it ends.
        let check = format!("cd '{}' && unshare -m sh check.sh {{}}", self.text("."));
        std::fs::write(self.path("check.sh"), script).expect("room");
        let (log, states) = (self.text("crash"), states.to_string());
        let words = ["crash", &log, "--check", &check, "--states", &states];
        let more = ["--quiet", "--output-format", "json"];
        let output = run(program(), &[&words[..], &more].concat());
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(
            [Some(0), Some(3)].contains(&output.status.code()),
            "{error}"
        );
        json(&String::from_utf8_lossy(&output.stdout))
    }

    /// Checks that no state fails, or one does.
    fn judge(&self, script: &str, states: u32, is_sound: bool) -> u64 {
        let told = self.crash(script, states);
        assert_eq!(told["states"], states);
        let failed = told["failed"].as_u64().expect("a number");
        assert_eq!(failed == 0, is_sound, "{told}");
        if !is_sound {
            let why = told["smallest"]["why"].as_str().expect("text");
            let is_told = why.contains("were committed") || why.contains("damaged");
            assert!(is_told, "{why}");
        }
        failed
    }
}

/// Inserts rows one by one and says which are committed.
const SQLITE_WRITER: &str = "
import sqlite3, sys
path, journal, synchronous, rows = sys.argv[1:]
base = sqlite3.connect(path, isolation_level=None)
base.execute('PRAGMA journal_mode=' + journal)
base.execute('PRAGMA synchronous=' + synchronous)
for id in range(1, int(rows) + 1):
    base.execute('INSERT INTO rows VALUES (?, ?)', (id, str(id) * 400))
    print(id, flush=True)
";

const SQLITE_CHECK: &str = r#"
mount -o loop "$1" mnt || exit
test "$(sqlite3 mnt/rows.db 'pragma quick_check')" = ok || { echo "the database is damaged"; exit 1; }
found=$(sqlite3 mnt/rows.db "select count(*) from rows where id <= ${FTLAB_MARK:-0} and text = replace(hex(zeroblob(200)), '0', id)")
test "$found" = "${FTLAB_MARK:-0}" || { echo "$FTLAB_MARK rows were committed, and $found are there"; exit 1; }
"#;

/// Rows that SQLite commits, and states that are judged; how many fail.
fn sqlite(journal: &str, synchronous: &str, rows: u64, states: u32) -> u64 {
    let prepare = |place: &Place| {
        let table = "create table rows (id integer primary key, text text)";
        said("sqlite3", &[&place.text("mnt/rows.db"), table]);
    };
    let act = |place: &Place| {
        let mut writer = Command::new("python3")
            .args(["-c", SQLITE_WRITER, &place.text("mnt/rows.db")])
            .args([journal, synchronous, &rows.to_string()])
            .stdout(Stdio::piped())
            .spawn()
            .expect("`make setup` installs python3");
        let lines = BufReader::new(writer.stdout.take().expect("a pipe")).lines();
        let ids = lines.map(|line| line.expect("text").parse().expect("a number"));
        ids.for_each(|id| place.mark(id));
        assert!(writer.wait().expect("it ends").success());
    };
    let place = Place::log("64m", prepare, act);
    let failed = place.judge(SQLITE_CHECK, states, synchronous != "off");
    println!("SQLite, {journal}, synchronous={synchronous}: {failed} of {states} states fail");
    failed
}

/// Journals of SQLite, and what each needs to keep a commit: one that is removed is gone for sure when the folder was
/// synced, too, which FULL leaves out.
const JOURNALS: [(&str, &str); 3] = [("wal", "full"), ("truncate", "full"), ("delete", "extra")];

#[test]
fn sqlite_keeps_commits_over_power_cuts_and_loses_them_without_flushes() {
    let Some(_turn) = turn("SQLite over power cuts") else {
        return;
    };
    for (journal, synchronous) in JOURNALS {
        sqlite(journal, synchronous, 30, 12);
        sqlite(journal, "off", 30, 12);
    }
}

#[test]
#[ignore = "minutes: make soak"]
fn sqlite_keeps_commits_over_a_thousand_states_of_each_journal() {
    let Some(_turn) = turn("SQLite over power cuts") else {
        return;
    };
    for (journal, synchronous) in JOURNALS {
        sqlite(journal, synchronous, 200, 1000);
        sqlite(journal, "off", 200, 100);
    }
}

/// A server in the folder `mnt/data`, as its own user.
const POSTGRES: &str = r#"
PATH=$PATH:$(echo /usr/lib/postgresql/*/bin)
as_postgres() { runuser -u postgres -- "$@"; }
make() {
    install -d -o postgres mnt/data && as_postgres initdb -N -A trust --wal-segsize=1 -D "$PWD/mnt/data" > /dev/null &&
    start && sql 'create table rows (id integer primary key)' && end fast
}
start() {
    as_postgres pg_ctl -s -w -D "$PWD/mnt/data" -o "-k $PWD/mnt/data -c listen_addresses= $1" -l "$PWD/mnt/data/log" start
}
sql() { as_postgres psql -h "$PWD/mnt/data" -qAt -c "$1" postgres; }
end() {
    server=$(head -1 mnt/data/postmaster.pid) && as_postgres pg_ctl -s -D "$PWD/mnt/data" -m "$1" stop &&
    # The command line of a process that has ended is empty, even before anybody takes its exit code.
    while test -n "$(tr -d '\0' 2> /dev/null < "/proc/$server/cmdline")"; do sleep 0.05; done
}
"#;

const POSTGRES_CHECK: &str = r#"
mount -o loop "$1" mnt || exit
# They name a server that has ended, whose number the system may still know.
rm -f mnt/data/postmaster.pid mnt/data/.s.PGSQL.*
start || { echo "it does not start: it is damaged"; exit 1; }
found=$(sql "select count(*) from rows where id <= ${FTLAB_MARK:-0}")
end immediate
test "$found" = "${FTLAB_MARK:-0}" || { echo "$FTLAB_MARK rows were committed, and $found are there"; exit 1; }
"#;

/// The same for PostgreSQL.
fn postgres(options: &str, rows: u64, states: u32) -> u64 {
    let shell = |place: &Place, line: &str| {
        let lines = format!("cd '{}' && {line}", place.text("."));
        said("sh", &["-c", &format!("{POSTGRES}{lines}")]);
    };
    let place = Place::log(
        "512m",
        |place| shell(place, "make"),
        |place| {
            shell(place, &format!("start '{options}'"));
            for id in 1..=rows {
                shell(place, &format!("sql 'insert into rows values ({id})'"));
                place.mark(id);
            }
            shell(place, "end immediate");
        },
    );
    let script = [POSTGRES, POSTGRES_CHECK].concat();
    let failed = place.judge(&script, states, options.is_empty());
    println!("PostgreSQL {options}: {failed} of {states} states fail");
    failed
}

#[test]
fn postgresql_keeps_commits_over_power_cuts_and_loses_them_without_flushes() {
    let Some(_turn) = turn("PostgreSQL over power cuts") else {
        return;
    };
    postgres("", 10, 4);
    postgres("-c fsync=off", 10, 4);
}

#[test]
#[ignore = "minutes: make soak"]
fn postgresql_keeps_commits_over_a_hundred_states() {
    let Some(_turn) = turn("PostgreSQL over power cuts") else {
        return;
    };
    postgres("", 60, 100);
    postgres("-c fsync=off", 60, 20);
}
