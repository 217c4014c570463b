//! Reviews, comparisons, grids, reports and fits.

use super::{Row, try_all};

#[test]
fn reviews_and_comparisons_that_cannot_be_are_refused() {
    const ROWS: &[Row] = &[
        (
            "review generic-mlc-8 --repeats 0",
            2,
            "give how often each run is made, from 1 to 1000 times",
        ),
        (
            "review generic-mlc-8 --repeats -1",
            2,
            "give how often each run is made",
        ),
        (
            "review generic-mlc-8 --repeats 1001",
            2,
            "give how often each run is made",
        ),
        (
            "review generic-mlc-8 --repeats x",
            2,
            "give how often each run is made",
        ),
        ("review generic-mlc-8 --test Z9", 2, "unknown test `Z9`"),
        (
            "fit generic-dc-tlc-1920 --to nonesuch --out x.toml",
            2,
            "nonesuch",
        ),
        (
            "fit generic-dc-tlc-1920 --out x.toml",
            2,
            "--to <RESULTS|CSV>",
        ),
        (
            "fit generic-dc-tlc-1920 --to nonesuch.csv --out x.toml",
            2,
            "nonesuch.csv",
        ),
        ("fit nonesuch --to d --out x.toml", 2, "nonesuch"),
        (
            "review generic-mlc-8 --suite nonesuch",
            2,
            "there are: anandtech-2008",
        ),
        (
            "review generic-mlc-8 --out random.fio",
            2,
            "it is a file; give another directory with --out",
        ),
        ("compare generic-mlc-8", 2, "--test <TEST>"),
        (
            "compare generic-mlc-8 --set spare.op=0.1 --test A1 --repeats 0",
            2,
            "give how often each run is made",
        ),
        (
            "compare generic-mlc-8 --set spare.op=0.1,x --test A1",
            2,
            "`x` is not a number",
        ),
        (
            "compare generic-mlc-8 --set spare.opp=0.1,0.2 --test A1",
            2,
            "unknown key `spare.opp` (did you mean op?)",
        ),
        (
            "compare generic-mlc-8 --set nand.t_read=0,50 --test A1",
            2,
            "it must be above 0",
        ),
        (
            "compare generic-mlc-8 --set spare.op=0.1,0.2 --test A1 --metric foo",
            2,
            "no run has a metric `foo`",
        ),
        (
            "compare generic-mlc-8 --set spare.op=0.1,0.2 --test Z9",
            2,
            "unknown test `Z9`",
        ),
        (
            "compare nonesuch --set spare.op=0.1,0.2 --test A1",
            2,
            "unknown drive `nonesuch`",
        ),
        (
            "pts generic-mlc-8 --test nonesuch",
            2,
            "iops, throughput, latency, wsat, hir, xsr",
        ),
        (
            "report missing",
            2,
            "give a directory that `ftlab review` or `ftlab run --out` wrote",
        ),
        ("report random.fio", 2, "it holds no results of a review"),
        (
            "report folder",
            2,
            "folder/results.json: there is no such file",
        ),
        ("claims C999", 2, "there is no claim C999; they are C001 to"),
        (
            "calibrate bare.toml --fio missing.json --out o.toml",
            2,
            "49 has no unit",
        ),
        (
            "calibrate generic-mlc-8 --fio old.json --out o.toml",
            2,
            "this is not what `fio --output-format=json` writes",
        ),
        ("calibrate generic-mlc-8", 2, "--fio <FILE>"),
        (
            "calibrate --sheet missing.toml --out o.toml",
            2,
            "there is no such file; give a data sheet",
        ),
        (
            "calibrate --sheet bare.toml --out o.toml",
            2,
            "`class` is missing: give \"data-centre\" or \"client\"",
        ),
        (
            "calibrate generic-mlc-8 --sheet bare.toml --out o.toml",
            2,
            "cannot be used with",
        ),
        (
            "run random.fio --drive generic-mlc-8 --members 5",
            2,
            "--members: generic-mlc-8 leaves nothing to a class",
        ),
        (
            "run random.fio --drive generic-dc-tlc-1920 --members 1",
            2,
            "1 is not in 2..=1000",
        ),
    ];
    try_all(ROWS);
}

#[test]
fn grids_that_cannot_be_are_refused() {
    const ROWS: &[Row] = &[
        ("sweep", 2, "--out <DIR>"),
        (
            "sweep missing.toml --out o",
            2,
            "there is no such file; give a grid",
        ),
        (
            "sweep seeds.toml --out o",
            2,
            "seeds.toml: at line 3, column 9: give how many seeds there are",
        ),
        (
            "sweep zero.toml --out o",
            2,
            "it has no seeds; give at least one",
        ),
        (
            "sweep nodrives.toml --out o",
            2,
            "it has no drives; give at least one",
        ),
        (
            "sweep key.toml --out o",
            2,
            "at line 2, column 1: unknown field `load`",
        ),
        ("sweep set.toml --out o", 2, "no row of the grid can run"),
        (
            "sweep state.toml --out o",
            2,
            "`uesd` is no state; give one of new",
        ),
        (
            "sweep broken.toml --out o",
            2,
            "broken.toml: at line 2, column 8",
        ),
        (
            "sweep random.fio --out o",
            2,
            "random.fio: at line 2, column 7",
        ),
        (
            "sweep grid.toml --out o --shard 0/2",
            2,
            "`0/2` is no share; give K/N with K from 1 to N",
        ),
        ("sweep grid.toml --out random.fio", 2, "it is a file"),
        (
            "sweep --merge folder --out o",
            2,
            "it has no table of a sweep",
        ),
    ];
    try_all(ROWS);
}
