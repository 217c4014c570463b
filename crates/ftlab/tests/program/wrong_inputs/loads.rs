//! Loads, and how they are run.

use super::{Row, try_all};

#[test]
fn loads_that_are_none_are_refused() {
    const ROWS: &[Row] = &[
        ("run", 2, "<LOAD>"),
        ("run random.fio", 2, "--drive <DRIVE>"),
        (
            "run - --drive generic-mlc-8",
            2,
            "standard input is empty: pipe a fio job file into `ftlab run -`",
        ),
        (
            "run missing.fio --drive generic-mlc-8",
            2,
            "there is no such file; give a fio job file",
        ),
        (
            "run folder --drive generic-mlc-8",
            2,
            "it is a directory; give a fio job file",
        ),
        (
            "run empty.fio --drive generic-mlc-8",
            2,
            "no job: add a section such as [randwrite]",
        ),
        (
            "run binary.fio --drive generic-mlc-8",
            2,
            "stands before the first section",
        ),
        (
            "run typo.fio --drive generic-mlc-8",
            2,
            "typo.fio:2: rw=randwrte is not valid",
        ),
        (
            "run word.fio --drive generic-mlc-8",
            2,
            "word.fio:3: unknown option `iodpeth`; did you mean `iodepth`?",
        ),
        (
            "run unit.fio --drive generic-mlc-8",
            2,
            "unit.fio:3: bs=4x is not valid",
        ),
        (
            "run odd.fio --drive generic-mlc-8",
            2,
            "a drive takes whole sectors of 512 bytes; give bs=512",
        ),
        (
            "run negative.fio --drive generic-mlc-8",
            2,
            "negative.fio:4: size=-4m is not valid",
        ),
        (
            "run nosection.fio --drive generic-mlc-8",
            2,
            "put it under [global]",
        ),
        (
            "run cut.csv.gz --drive generic-mlc-8",
            2,
            "say which with --format",
        ),
        (
            "run old.json --drive generic-mlc-8",
            2,
            "say which with --format",
        ),
        (
            "fio --drive generic-mlc-8 --name=a --rw=randwrte",
            2,
            "rw=randwrte is not valid",
        ),
        ("fio --drive generic-mlc-8 --rw=randwrite", 2, "no job"),
        (
            "plan missing.fio --drive generic-mlc-8 --per-day 50GB",
            2,
            "there is no such file",
        ),
        (
            "trace info missing.csv",
            2,
            "there is no such file; give the path of a trace",
        ),
        ("trace info random.fio", 2, "say which with --format"),
        ("trace info cut.csv.gz", 2, "say which with --format"),
        (
            "trace convert missing.csv o.csv",
            2,
            "there is no such file; give the path of a trace",
        ),
        (
            "import mqsim missing.xml missing.xml",
            2,
            "there is no such file; give MQSim's ssdconfig.xml",
        ),
        ("import nvmevirt random.fio", 2, "--capacity <GIB>"),
        (
            "import simplessd random.fio",
            2,
            "is neither [section] nor key = value",
        ),
        ("import results missing.json", 2, "there is no such file"),
        ("import results random.fio", 2, "there is no JSON in it"),
        (
            "import results random.fio --format ezfio",
            2,
            "no results of ezfio",
        ),
        (
            "import results random.fio --capacity 480",
            2,
            "give bytes with a unit",
        ),
        (
            "import results random.fio --state a/b",
            2,
            "letters, digits and hyphens",
        ),
        ("import femu random.fio", 2, "there is no `-device femu"),
    ];
    try_all(ROWS);
}

#[test]
fn runs_that_cannot_be_are_refused() {
    const ROWS: &[Row] = &[
        (
            "run random.fio --drive generic-mlc-8 --state uesd",
            2,
            "a similar value exists: 'used'",
        ),
        (
            "run random.fio --drive generic-mlc-8 --seed x",
            2,
            "give a whole number from 0 to",
        ),
        (
            "run random.fio --drive generic-mlc-8 --testbed nonesuch",
            2,
            "unknown testbed `nonesuch`; there are anandtech-2008",
        ),
        (
            "run random.fio --drive generic-mlc-8 --testbed testbed.toml",
            2,
            "testbed.toml: `name` is missing",
        ),
        (
            "run random.fio --drive generic-mlc-8 --testbed empty.toml",
            2,
            "empty.toml: `schema` is missing",
        ),
        (
            "run random.fio --drive generic-mlc-8 --testbed host.toml",
            2,
            "host.toml: at line 6, column 1: 5 has no unit",
        ),
        (
            "run random.fio --drive generic-mlc-8 --require write.p99<5",
            2,
            "write.p99 < 5ms",
        ),
        (
            "run random.fio --drive generic-mlc-8 --require foo<5ms",
            2,
            "no run has a metric `foo`",
        ),
        (
            "run random.fio --drive generic-mlc-8 --require write.p101<5ms",
            2,
            "percentiles as p99.9",
        ),
        (
            "run random.fio --drive generic-mlc-8 --out random.fio",
            2,
            "name the same file",
        ),
        (
            "run random.fio --drive generic-mlc-8 --out old.json",
            2,
            "it is a file; give another directory with --out",
        ),
        (
            "run random.fio --drive generic-mlc-8 --jobs 0",
            2,
            "give a whole number from 1 to 1024",
        ),
        (
            "run random.fio --drive generic-mlc-8 --memory x",
            2,
            "--memory <GIB>",
        ),
        (
            "run random.fio --drive generic-mlc-8 --from-state missing.state",
            2,
            "give a state saved with --save-state",
        ),
        (
            "run random.fio --drive generic-mlc-8 --from-state random.fio",
            2,
            "it is not a saved state",
        ),
        (
            "plan random.fio --drive generic-mlc-8 --per-day 5parsecs",
            2,
            "give bytes with a unit",
        ),
        (
            "plan random.fio --drive generic-mlc-8 --per-day -5GB",
            2,
            "give from 1 MB to 100 PB a day",
        ),
        (
            "endurance --drive generic-mlc-8 --per-day -5GB",
            2,
            "give from 1 MB to 100 PB a day",
        ),
        (
            "plan random.fio --drive generic-mlc-8 --rate-sweep 5k..1k",
            2,
            "does not go up: give the lower rate first",
        ),
        (
            "plan random.fio --drive generic-mlc-8 --rate-sweep fast",
            2,
            "give requests a second from 1 to 100m",
        ),
        (
            "plan random.fio --drive generic-mlc-8 --rate-sweep 0..5k",
            2,
            "give requests a second from 1 to 100m",
        ),
        (
            "plan random.fio --drive generic-mlc-8 --per-day 50GB --life x",
            2,
            "give years, for example 5y",
        ),
        (
            "endurance --drive generic-mlc-8 --per-day x",
            2,
            "error: invalid value 'x'",
        ),
    ];
    try_all(ROWS);
}
