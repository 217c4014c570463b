//! What a file that is to be written takes the place of: nothing that somebody keeps data in.

use crate::place::{Place, holds, program};
use ftlab_sheet::magic::Kind;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Calls that write the file `X`. Where it is one of several in a folder, the folder is `d`.
const WRITERS: &[(&str, &str)] = &[
    ("run random.fio --drive D --state new --save-state X", "s"),
    ("run random.fio --drive D --state new --save-after X", "s"),
    (
        "run random.fio --drive D --state new --save-after X --replace",
        "s",
    ),
    (
        "run random.fio --drive D --state new --require iops>1 --junit X",
        "j",
    ),
    ("run random.fio --drive D --state new --output X", "o"),
    ("fio random.fio --drive D --state new --output X", "o"),
    (
        "run random.fio --drive D --state new --out d",
        "d/results.json",
    ),
    (
        "run random.fio --drive D --state new --out d",
        "d/index.html",
    ),
    (
        "run logged.fio --drive D --state new --logs d",
        "d/w_bw.1.log",
    ),
    ("review D --out d", "d/results.json"),
    (
        "compare D --set spare.op=0.2,0.3 --test A1 --state new --out d",
        "d/index.html",
    ),
    ("pts D --out d", "d/index.html"),
    (
        "measure t.csv --suite modern --test N6 --out d",
        "d/results.json",
    ),
    ("plan random.fio --drive D --out d", "d/results.json"),
    ("claims --json X", "c"),
    ("claims --html X", "c.html"),
    ("endurance --drive intel-x25-m-g1-80 --html X", "life.html"),
    ("claims C084 --keep d", "d/cells.jsonl"),
    ("calibrate D --fio none.json --out X", "d.toml"),
    ("import results none.json --out d", "d/results.json"),
    ("import femu -device --out d --force", "d/femu.toml"),
    ("card --for mqsim D --out d --force", "d/ssdconfig.xml"),
    ("card --for seastar D --out X --force", "io_properties.yaml"),
    ("man d", "d/ftlab-run.1"),
    ("sweep grid.toml --out d", "d/sweep.parquet"),
    ("trace convert t.csv X --to csv", "o.csv"),
    ("trace info t.csv --html X", "page.html"),
    ("pack none.img --out X", "p"),
    ("pack none.img --out X --replace", "p"),
    ("unpack t.csv --out X", "u.img"),
    ("serve --drive D --image new.img --record X", "r"),
    ("serve --drive D --image new.img --record r", "r.state"),
    ("serve --drive D --image new.img --crash-log X", "l"),
    ("serve --drive D --image new.img --pid-file X", "pid"),
    ("serve --drive D --image new.img --daemon", "new.img.pid"),
    ("serve --drive D --image new.img --daemon --log X", "log"),
    ("serve --drive D --image new.img --daemon", "new.img.log"),
    ("serve --drive D --image new.img --unix X", "socket"),
    ("serve --drive D --image new.img --control X", "control"),
];

/// What is of the same kind as what a call writes, and may be replaced if that is said.
fn may_replace(line: &str, kind: Kind) -> bool {
    line.contains("--replace")
        && match kind {
            Kind::Packed => line.starts_with("pack"),
            Kind::SavedState => line.starts_with("run"),
            Kind::Image | Kind::Layer | Kind::CrashLog => false,
        }
}

fn place() -> Place {
    let place = Place::new();
    let logged = place.read("random.fio") + "write_bw_log=w\n";
    place.write("logged.fio", &logged);
    place.write("t.csv", "time_ns,op,offset_bytes,bytes\n0,write,0,4096\n");
    place.write(
        "grid.toml",
        "drives = ['generic-mlc-8']\nloads = ['random.fio']\n",
    );
    std::fs::create_dir(place.path("d")).unwrap();
    place
}

/// The one line on standard error of a call that is refused as wrong input, whatever it said before.
#[track_caller]
fn refusal(place: &Place, line: &str, file: &str) -> String {
    let words = line.split(' ').map(|word| match word {
        "D" => "generic-mlc-8".to_owned(),
        "X" => file.to_owned(),
        word => word.replace("-device", "-device femu,femu_mode=1,devsz_mb=4096"),
    });
    let mut command = place.ftlab("");
    let assert = command.args(words).assert().code(2);
    let said = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    let error = said.lines().find(|line| line.starts_with("error: "));
    error.unwrap_or_else(|| panic!("{line}: {said}")).to_owned()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        names.push(entry.file_name().into_string().unwrap());
        if entry.file_type().unwrap().is_dir() {
            names.extend(self::names(&entry.path()));
        }
    }
    names.sort();
    names
}

#[test]
fn nothing_takes_the_place_of_a_file_that_holds_a_drive() {
    let place = place();
    for (line, file) in WRITERS {
        for kind in Kind::ALL {
            if may_replace(line, kind) {
                continue;
            }
            let held = [&kind.magic()[..], b"and somebody's data"].concat();
            std::fs::write(place.path(file), &held).unwrap();
            let before = names(place.0.path());
            let error = refusal(&place, line, file);
            holds(&error, &[file]);
            let words = [kind.words(), "there already", "Address already in use"];
            assert!(
                words.iter().any(|words| error.contains(words)),
                "{line}: {error}"
            );
            assert_eq!(std::fs::read(place.path(file)).unwrap(), held, "{line}");
            assert_eq!(names(place.0.path()), before, "{line}");
            std::fs::remove_file(place.path(file)).unwrap();
        }
    }
}

#[test]
fn nothing_takes_the_place_of_a_directory_or_a_device() {
    let place = place();
    std::fs::create_dir(place.path("directory")).unwrap();
    for (line, _) in WRITERS.iter().filter(|(line, _)| line.contains(" X")) {
        let error = refusal(&place, line, "directory");
        holds(&error, &["directory"]);
        refusal(&place, line, "/dev/zero");
        let kind = std::fs::metadata("/dev/zero").unwrap().file_type();
        assert!(kind.is_char_device(), "{line}");
    }
}

#[test]
fn a_file_that_somebody_has_locked_stays() {
    let place = place();
    place.write("page.html", "");
    let held = std::fs::File::open(place.path("page.html")).unwrap();
    held.try_lock().unwrap();
    let line = "trace info t.csv --html page.html";
    holds(&place.refused(line), &["page.html", "it is in use"]);
    drop(held);
    place.out(line);
    holds(&place.read("page.html"), &["<html"]);
}

#[test]
fn pages_and_tables_replace_what_is_there() {
    let place = place();
    for name in ["page.html", "o.csv"] {
        place.write(name, "an older one");
    }
    place.out("trace info t.csv --html page.html");
    holds(&place.read("page.html"), &["<html"]);
    place.out("trace convert t.csv o.csv");
    holds(&place.read("o.csv"), &["write"]);
    let error = place.refused("trace info t.csv --html ./t.csv");
    holds(&error, &["FILE and --html name the same file"]);
}

/// Whatever a call reads stays, under whichever of its names it is to be written, and so does what it has written.
#[test]
fn nothing_takes_the_place_of_what_the_same_call_reads_or_writes() {
    let place = place();
    place.write("none.json", "{}");
    place.write("two.csv", &place.read("t.csv"));
    place.write("mine.toml", &place.root("drives/generic-mlc-8.toml"));
    std::fs::hard_link(place.path("random.fio"), place.path("hard")).unwrap();
    std::os::unix::fs::symlink("random.fio", place.path("soft")).unwrap();
    let before = names(place.0.path());
    let inputs = ["random.fio", "t.csv", "none.json", "mine.toml", "grid.toml"];
    let held = inputs.map(|name| place.read(name));
    let run = "run random.fio --drive D --state new";
    for line in [
        format!("{run} --output random.fio"),
        format!("{run} --output ./random.fio"),
        format!("{run} --output hard"),
        format!("{run} --output soft"),
        format!("{run} --require iops>1 --junit random.fio"),
        "run random.fio --drive ./mine.toml --state new --output mine.toml".to_owned(),
        "run random.fio --drive one=./mine.toml --state new --output mine.toml".to_owned(),
        "fio random.fio --drive D --state new --output=random.fio".to_owned(),
        format!("{run} --save-state s --output s"),
        format!("{run} --save-state s --save-after ./s"),
        format!("{run} --output o --require iops>1 --junit o"),
        "calibrate D --fio none.json --out none.json".to_owned(),
        "calibrate ./mine.toml --fio none.json --out mine.toml".to_owned(),
        "trace convert t.csv ./t.csv --to csv".to_owned(),
        "trace info t.csv --html t.csv".to_owned(),
    ] {
        let error = refusal(&place, &line, "");
        holds(&error, &["name the same file"]);
        assert_eq!(inputs.map(|name| place.read(name)), held, "{line}");
        assert_eq!(names(place.0.path()), before, "{line}");
    }
    // What is read and written is two files here.
    place.out("trace convert t.csv two.csv --to csv");
}

#[test]
fn states_replace_states_alone_and_only_if_that_is_said() {
    let place = place();
    let save = "run random.fio --drive generic-mlc-8 --untimed --state new --save-after";
    let ftlab = |line: &str| place.ftlab(line).assert();
    ftlab(&format!("{save} a.state")).success();
    let first = std::fs::read(place.path("a.state")).unwrap();
    let again = format!("{save} a.state --seed 2");
    holds(&place.refused(&again), &["a saved state", "--replace"]);
    assert!(std::fs::read(place.path("a.state")).unwrap() == first);
    ftlab(&format!("{again} --replace")).success();
    assert!(std::fs::read(place.path("a.state")).unwrap() != first);
    place.write("notes", "mine");
    let error = place.refused(&format!("{save} notes --replace"));
    holds(&error, &["notes is there already"]);
    let none = "run random.fio --drive generic-mlc-8 --untimed --replace";
    holds(&place.refused(none), &["--save-state"]);
}

#[test]
fn texts_go_into_streams() {
    let place = place();
    let converted = place
        .ftlab("trace convert t.csv /dev/stdout --to csv")
        .assert();
    let output = converted.success().get_output().clone();
    let [out, said] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(
        out.lines().count() == 2 && !out.contains("requests in"),
        "{out}"
    );
    holds(&said, &["1 requests in"]);
    place.out("trace convert t.csv /dev/null --to csv");
    let null = std::fs::metadata("/dev/null").unwrap();
    assert!(null.file_type().is_char_device());
    assert!(
        Path::new("/dev/stdout")
            .symlink_metadata()
            .unwrap()
            .is_symlink()
    );
    // What somebody redirected is not replaced under their feet.
    let line = format!(
        "echo before > o; {} trace convert t.csv /dev/stdout --to csv >> o",
        program()
    );
    let mut shell = assert_cmd::Command::new("sh");
    shell
        .args(["-c", &line])
        .current_dir(&place.0)
        .assert()
        .success();
    let text = place.read("o");
    assert!(
        text.starts_with("before\n") && text.lines().count() == 3,
        "{text}"
    );
    let pipe = format!(
        "mkfifo p; cat p > q & {} trace convert t.csv p --to csv; wait",
        program()
    );
    let mut shell = assert_cmd::Command::new("sh");
    shell
        .args(["-c", &pipe])
        .current_dir(&place.0)
        .assert()
        .success();
    assert_eq!(place.read("q").lines().count(), 2);
}

#[test]
fn what_a_server_writes_has_names_of_its_own() {
    let place = place();
    let new = "serve --drive generic-mlc-8 --image new.img";
    for (line, options) in [
        ("--record new.img", ["--image", "--record"]),
        ("--crash-log ./new.img", ["--image", "--crash-log"]),
        ("--record log --crash-log log", ["--record", "--crash-log"]),
        (
            "--record log --crash-log log.state",
            ["--record", "--crash-log"],
        ),
        ("--pid-file new.img", ["--image", "--pid-file"]),
        ("--unix pid --pid-file pid", ["--pid-file", "--unix"]),
        ("--unix one --control one", ["--unix", "--control"]),
        ("--daemon --log new.img.pid", ["--pid-file", "--log"]),
    ] {
        let error = place.refused(&format!("{new} {line}"));
        holds(&error, &["name the same file"]);
        holds(&error, &options);
        assert!(!place.path("new.img").exists());
    }
}
