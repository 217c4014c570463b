//! The policies reach every command of the program.

use assert_cmd::Command;
use tempfile::TempDir;

const JOB: &str = "[w]\nrw=randwrite\nbs=4k\nnorandommap\nloops=2\n";
const SMALL: &str = "--set nand.blocks_per_die=64";

fn my_ftlab(place: &TempDir, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_my-ftlab"));
    command.args(line.split_whitespace()).current_dir(place);
    command
}

/// Standard output of a call that succeeds.
fn out(place: &TempDir, line: &str) -> String {
    let assert = my_ftlab(place, line).assert().success();
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

#[test]
fn a_job_runs_and_settings_are_compared() {
    let place = TempDir::new().unwrap();
    std::fs::write(place.path().join("job.fio"), JOB).unwrap();
    let of = |policy: &str| {
        let drive = format!("--drive generic-mlc-8 {SMALL} --set gc.policy={policy}");
        out(&place, &format!("run job.fio {drive} --untimed"))
    };
    // The name is another; what came of it is the same.
    let figures = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| line.contains("amplification"));
        lines.map(str::to_owned).collect()
    };
    let [greedy, at_once, waits] = ["greedy", "minimum-age-0", "minimum-age-800"].map(of);
    assert!(!figures(&greedy).is_empty(), "{greedy}");
    assert_eq!(figures(&at_once), figures(&greedy));
    assert_ne!(figures(&waits), figures(&greedy));

    let compared = out(
        &place,
        &format!(
            "compare generic-mlc-8 {SMALL} --set gc.policy=greedy,older-of-two --test E1 --quick"
        ),
    );
    assert!(compared.contains("gc.policy=older-of-two"), "{compared}");
}

#[test]
fn a_drive_is_reviewed_with_its_policy() {
    let place = TempDir::new().unwrap();
    let generic = include_str!("../../../drives/generic-mlc-8.toml");
    let file = generic
        .replace("policy = \"greedy\"", "policy = \"older-of-two\"")
        .replace(
            "blocks_per_die = { value = 512",
            "blocks_per_die = { value = 64",
        );
    std::fs::write(place.path().join("mine.toml"), file).unwrap();
    let sheet = out(&place, "show mine.toml");
    assert!(sheet.contains("older-of-two"), "{sheet}");
    out(&place, "review mine.toml --test A1 --quick --out reviewed");
    let results = std::fs::read_to_string(place.path().join("reviewed/results.json")).unwrap();
    assert!(results.contains("older-of-two"), "the policy is not told");
}

#[test]
fn an_attached_drive_keeps_its_policy_with_its_data() {
    let place = TempDir::new().unwrap();
    let drive = format!("--drive generic-mlc-8 {SMALL} --set gc.policy=minimum-age-200");
    out(&place, &format!("serve {drive} --image disk.img --daemon"));
    out(&place, "stop disk.img");
    for line in [
        "info disk.img",
        "fsck disk.img",
        "smart disk.img",
        "snapshot disk.img first",
        "trim disk.img --all",
        "reset disk.img --to first",
        "pack disk.img -o packed.ftlab",
        "firmware disk.img --set gc.policy=minimum-age-800",
        "firmware disk.img --set gc.policy=minimum-age-200",
        "serve --image disk.img --daemon",
        "stop disk.img",
    ] {
        out(&place, line);
    }
    let image = std::fs::read(place.path().join("disk.img")).unwrap();
    let names = |name: &[u8]| image.windows(name.len()).any(|bytes| bytes == name);
    assert!(
        names(b"minimum-age-200"),
        "the image does not name the policy"
    );
}

#[test]
fn an_unknown_policy_is_refused_with_the_names_of_all() {
    let place = TempDir::new().unwrap();
    std::fs::write(place.path().join("job.fio"), JOB).unwrap();
    let assert = my_ftlab(
        &place,
        "run job.fio --drive generic-mlc-8 --set gc.policy=oldest",
    )
    .assert()
    .code(2);
    let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(
        said.contains("greedy, fifo") && said.contains("older-of-two"),
        "{said}"
    );
}

#[test]
fn the_rows_of_a_grid_have_the_policies_of_its_drives_and_settings() {
    let place = TempDir::new().unwrap();
    std::fs::write(place.path().join("job.fio"), JOB).unwrap();
    let drive = "schema = 1\nkind = \"ssd\"\nbase = \"generic-mlc-8\"\nname = \"mine\"\nsummary = \"as its base\"
        [gc]\npolicy = \"older-of-two\"\n";
    std::fs::write(place.path().join("mine.toml"), drive).unwrap();
    let grid = "drives = [\"mine.toml\"]\nloads = [\"job.fio\"]\nuntimed = true
        [set]\nnand.blocks_per_die = 64\ngc.policy = [\"older-of-two\", \"minimum-age-800\"]\n";
    std::fs::write(place.path().join("grid.toml"), grid).unwrap();
    let said = out(&place, "sweep grid.toml --out rows --quiet");
    assert!(said.starts_with("2 rows are done:"), "{said}");
}

#[test]
fn shells_complete_the_names_of_policies() {
    let place = TempDir::new().unwrap();
    let script = out(&place, "completions bash");
    for policy in ["greedy", "older-of-two"] {
        assert!(script.contains(&format!("gc.policy={policy}")), "{policy}");
    }
}
