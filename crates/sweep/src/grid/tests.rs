//! Grids as they are written, and what their rows are.

use super::*;

const LOAD: &str = "loads = [{ name = \"w\", text = \"[w]\\nrw=randwrite\\nnumber_ios=10\\n\" }]\n";

fn sweep(text: &str) -> Result<Sweep, String> {
    let text = format!("{LOAD}{text}");
    Sweep::parse(&text, Path::new("grid.toml"), &Catalog::default())
        .map_err(|error| error.to_string())
}

#[test]
fn rows_are_every_drive_with_every_setting_load_and_seed() {
    let grid = "drives = ['generic-mlc-8', 'jmf602-mlc-64']\nseeds = [7, 9]\n[set]\nspare.op = [0.07, 0.28]\ngc.policy = 'fifo'\n";
    let sweep = sweep(grid).unwrap();
    assert_eq!(sweep.rows(), 8);
    let settings: Vec<Vec<String>> = (0..2).map(|n| sweep.settings(n)).collect();
    assert_eq!(settings[0], ["gc.policy=fifo", "spare.op=0.07"]);
    assert_eq!(settings[1], ["gc.policy=fifo", "spare.op=0.28"]);
    for row in 0..8 {
        assert_eq!(sweep.row(sweep.point(row)), row);
    }
    let of = |row| sweep.point(row);
    assert_eq!((of(1).seed, of(2).variant, of(4).drive), (1, 1, 1));
}

#[test]
fn an_id_is_of_what_decides_the_numbers_and_of_nothing_else() {
    let first = |grid: &str| sweep(grid).unwrap().id(0);
    let base = first("drives = ['generic-mlc-8']");
    assert_eq!(base.len(), 32);
    for same in [
        "drives = ['generic-mlc-8']\nseeds = [1]",
        "drives = ['generic-mlc-8', 'intel-320-160']\nstate = 'filled'\nseeds = 3",
    ] {
        assert_eq!(first(same), base, "{same}");
    }
    for other in [
        "drives = ['jmf602-mlc-64']",
        "drives = ['generic-mlc-8']\nseeds = [2]",
        "drives = ['generic-mlc-8']\nstate = 'used'",
        "drives = ['generic-mlc-8']\nuntimed = true",
        "drives = ['generic-mlc-8']\nset.spare.op = 0.28",
    ] {
        assert_ne!(first(other), base, "{other}");
    }
    let number = |text: &str| {
        first(&format!(
            "drives = ['generic-mlc-8']\n[set]\nspare.op = {text}"
        ))
    };
    assert_eq!(number("0.28"), number("2.8e-1"));
    let renamed = LOAD.replace("name = \"w\"", "name = \"other\"") + "drives = ['generic-mlc-8']";
    let renamed = Sweep::parse(&renamed, Path::new("grid.toml"), &Catalog::default()).unwrap();
    assert_eq!(renamed.id(0), base, "the name of a load is no part of it");
}

#[test]
fn a_list_and_a_hypercube_stand_beside_what_is_set() {
    let list = "drives = ['generic-mlc-8']\n[set]\nspare.op = [0.1, 0.2]\n[[list]]\ngc.policy = 'fifo'\n[[list]]\ngc.policy = 'greedy'\ngc.reserve = 3\n";
    let list = sweep(list).unwrap();
    assert_eq!(list.rows(), 4);
    assert_eq!(
        list.settings(3),
        ["gc.policy=greedy", "gc.reserve=3", "spare.op=0.2"]
    );
    let cube = "drives = ['generic-mlc-8']\n[latin_hypercube]\npoints = 5\n[latin_hypercube.set]\nspare.op = { from = 0.07, to = 0.5 }\ngc.policy = ['fifo', 'greedy']\n";
    let cube = sweep(cube).unwrap();
    assert_eq!((cube.rows(), cube.keys().len()), (5, 2));
}

#[test]
fn what_is_no_grid_is_refused_with_what_to_write() {
    for (grid, why) in [
        ("drives = []", "it has no drives"),
        (
            "drives = ['generic-mlc-8', 'generic-mlc-8']",
            "rows 0 and 1 are the same run",
        ),
        ("drives = ['generic-mlc-8']\nseeds = []", "it has no seeds"),
        (
            "drives = ['generic-mlc-8']\nseeds = -3",
            "give how many seeds there are, such as seeds = 5, or a list of whole numbers",
        ),
        (
            "drives = ['generic-mlc-8']\nseeds = [1, 0.5]",
            "give how many seeds there are",
        ),
        ("drives = [7]", "give a name or a path in quotation marks"),
        // Nothing is made of any of these: they would not fit any memory.
        (
            "drives = ['generic-mlc-8']\nseeds = 4_000_000_000",
            "it has 4000000000 rows",
        ),
        (
            "drives = ['generic-mlc-8']\n[latin_hypercube]\npoints = 4_000_000_000\n[latin_hypercube.set]\n\
             a.b = { from = 1, to = 2 }",
            "it has 4000000000 rows",
        ),
        (
            "drives = ['generic-mlc-8']\nseeds = 100_000\n[set]\na.b = [1, 2, 3]\na.c = 1\na.d = [1, 2, 3, 4]\n\
             a.e = [1, 2, 3, 4, 5, 6, 7, 8, 9]",
            "it has 10800000 rows",
        ),
        (
            "drives = ['generic-mlc-8']\n[set]\nspare.op = [0.1, nan]",
            "spare.op: `nan` is no value",
        ),
        (
            "drives = ['generic-mlc-8']\nstate = 'old'",
            "`old` is no state; give one of new, ",
        ),
        (
            "drives = ['generic-mlc-8']\n[set]\nspare.op = []",
            "spare.op has no value",
        ),
        (
            "drives = ['generic-mlc-8']\n[set]\nspare.op = [0.1, [2]]",
            "spare.op: `[2]` is no value",
        ),
        (
            "drives = ['generic-mlc-8']\n[set]\na.b = 1\n[[list]]\na.b = 2",
            "a.b is set in two places",
        ),
        (
            "drives = ['generic-mlc-8']\nsets = 3",
            "unknown field `sets`",
        ),
        ("drives = ['generic-mlk-8']", "generic-mlc-8"),
        (
            "drives = ['generic-mlc-8']\n[latin_hypercube]\npoints = 2\n[latin_hypercube.set]\na.b = 3",
            "a.b: give { from",
        ),
    ] {
        let error = sweep(grid).unwrap_err();
        assert!(
            error.starts_with("grid.toml: ") && error.contains(why),
            "{grid}: {error}"
        );
    }
    let load = |text: &str| {
        let grid = format!("drives = ['generic-mlc-8']\nloads = [{text}]\nuntimed = true");
        Sweep::parse(&grid, Path::new("grid.toml"), &Catalog::default())
            .unwrap_err()
            .to_string()
    };
    assert!(
        load("'randwrite-4k-qd9'").contains("did you mean"),
        "{}",
        load("'randwrite-4k-qd9'")
    );
    assert!(load("'boot-windows7'").contains("has no meaning without a clock"));
    let machine = load("{ name = 'x', text = \"[w]\\nrw=read\\nnumjobs=$ncpus\\n\" }");
    assert!(machine.contains("$ncpus"), "{machine}");
    let twice = "{ name = 'x', text = \"[w]\\nrw=read\\nnumber_ios=1\\n\" }, { name = 'x', text = \"[w]\\nrw=write\\nnumber_ios=1\\n\" }";
    assert!(load(twice).contains("two loads are called x"));
}

#[test]
fn a_packed_grid_reads_the_same_without_its_files() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("w.fio"),
        "[w]\nrw=randwrite\nnumber_ios=10\n",
    )
    .unwrap();
    let text = "drives = ['generic-mlc-8']\nloads = ['w.fio', 'app-launch-four-at-boot']\nset.spare.op = [0.1, 0.2]\n";
    let file = folder.path().join("grid.toml");
    let sweep = Sweep::parse(text, &file, &Catalog::default()).unwrap();
    let packed = sweep.packed(&toml::from_str(text).unwrap());
    let packed = toml::Table::try_from(&packed).unwrap().to_string();
    drop(folder);
    let again = Sweep::parse(&packed, Path::new("packed.toml"), &Catalog::default()).unwrap();
    assert_eq!((again.rows(), again.hash()), (4, sweep.hash()));
    let names: Vec<&str> = again
        .loads
        .iter()
        .map(|load| load.texts.name.as_str())
        .collect();
    assert_eq!(names, ["w", "app-launch-four-at-boot"]);
}
