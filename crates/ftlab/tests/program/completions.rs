//! What shells complete with the scripts that the program prints, asked of the shells themselves; and the manual.

use super::place::{Place, holds, program};
use std::process::Command;

/// What `shell` says when it is given a script, with the program on its path.
fn said(place: &Place, shell: &[&str], script: &str) -> String {
    place.write("script", script);
    let program = std::path::Path::new(program());
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", program.parent().unwrap().display());
    let output = Command::new("timeout")
        .arg("60")
        .args(shell)
        .arg("script")
        .env("PATH", path)
        .env("HOME", place.0.path())
        .env("XDG_CONFIG_HOME", place.0.path())
        .env("TERM", "dumb")
        .current_dir(&place.0)
        .output()
        .unwrap();
    let [out, error] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(
        output.status.success(),
        "{shell:?}: {}\n{out}\n{error}",
        output.status
    );
    out
}

/// What bash offers for the last word of a line.
fn bash(line: &str) -> Vec<String> {
    let place = Place::new();
    place.write("ftlab.bash", &place.out("completions bash"));
    let ask = format!(
        "source ftlab.bash\n\
         COMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n\
         _ftlab ftlab \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD - 1]}}\"\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\"\n"
    );
    let offered = said(&place, &["bash", "--norc"], &ask);
    offered.lines().map(str::to_owned).collect()
}

/// The drives that begin so, as `ftlab drives` lists them.
fn intel(place: &Place) -> Vec<String> {
    let listed = place.out("drives");
    let names = listed
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    let names = names.filter(|name| name.starts_with("intel-x25"));
    let names: Vec<_> = names.map(str::to_owned).collect();
    assert!(names.len() > 2, "{listed}");
    names
}

#[test]
fn bash_completes_drives_commands_and_options() {
    let drives = intel(&Place::new());
    assert_eq!(bash("ftlab show intel-x25"), drives);
    assert_eq!(bash("ftlab run job.fio --drive intel-x25"), drives);
    assert_eq!(bash("ftlab comp"), ["compare", "completions"]);
    assert_eq!(bash("ftlab run --unt"), ["--untimed"]);
    for (line, offered) in [
        ("ftlab run --state ''", "used"),
        ("ftlab review --test randread-4k-qd1", "randread-4k-qd1"),
        ("ftlab review --suite mod", "modern"),
        ("ftlab run --testbed linux", "linux-2024-io-uring"),
        ("ftlab show --set spare.o", "spare.op="),
        ("ftlab run --set gc.policy=gr", "gc.policy=greedy"),
        ("ftlab compare --metric w", "wa"),
        ("ftlab plan --require write.p9", "write.p99"),
    ] {
        let values = bash(line);
        assert!(values.contains(&offered.to_owned()), "{line}: {values:?}");
    }
}

#[test]
fn fish_completes_drives() {
    let place = Place::new();
    place.write("ftlab.fish", &place.out("completions fish"));
    for line in [
        "ftlab show intel-x25",
        "ftlab run job.fio --drive intel-x25",
    ] {
        let ask = format!("source ftlab.fish; complete --do-complete '{line}'");
        let offered = said(&place, &["fish", "--no-config"], &ask);
        // In an order of fish's own.
        let mut words: Vec<_> = offered
            .lines()
            .map(|line| line.split('\t').next().unwrap())
            .collect();
        words.sort_unstable();
        assert_eq!(words, intel(&place), "{line}");
    }
}

#[test]
fn zsh_completes_a_drive_when_tab_is_pressed() {
    let place = Place::new();
    place.write("_ftlab", &place.out("completions zsh"));
    // A shell on a terminal of its own; what it shows is read until the drive's sheet is there, or for ever.
    let ask = "zmodload zsh/zpty\n\
        zpty shell zsh -f -i\n\
        zpty -w shell 'fpath=($PWD $fpath); autoload -U compinit; compinit -u -D; print ready-$((1 + 1))'\n\
        zpty -r shell seen '*ready-2*'\n\
        zpty -w -n shell $'ftlab show intel-x25-m-g1-8\\t\\n'\n\
        zpty -r shell seen '*Intel X25-M 80 GB*'\n\
        print -r -- $seen\n";
    holds(&said(&place, &["zsh", "-f"], ask), &["intel-x25-m-g1-80"]);
}

#[test]
fn a_drive_of_any_name_is_still_read() {
    let place = Place::new();
    place.write("mine.toml", &place.root("drives/generic-mlc-8.toml"));
    assert!(place.out("show mine.toml").starts_with("mine: "));
    assert!(
        place
            .out("show x25-m-g1-80")
            .starts_with("intel-x25-m-g1-80: ")
    );
    let help = place.out("show --help");
    assert!(!help.contains("intel-x25-e-32"), "{help}");
}

#[test]
fn a_shell_that_is_not_known_is_refused() {
    let place = Place::new();
    let refused = place.ftlab("completions tcsh").assert().code(2);
    let said = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    holds(&said, &["tcsh", "bash, zsh, fish"]);
}

#[test]
fn every_command_has_a_page_that_man_shows_without_a_warning() {
    let place = Place::new();
    place.out("man pages");
    let mut pages: Vec<_> = place.path("pages").read_dir().unwrap().collect();
    assert!(pages.len() > 30, "{} pages", pages.len());
    for page in pages.drain(..) {
        let shown = Command::new("man")
            .args(["--warnings", "--local-file", "--encoding=utf8"])
            .arg(page.unwrap().path())
            .env("MANWIDTH", "100")
            .output()
            .unwrap();
        let [text, warnings] = [shown.stdout, shown.stderr].map(|b| String::from_utf8(b).unwrap());
        assert_eq!(warnings, "", "{text}");
        holds(&text, &["NAME", "SYNOPSIS", "DESCRIPTION"]);
    }
    let run = place.read("pages/ftlab-run.1");
    holds(
        &run,
        &[
            "\n.SH EXAMPLES\n.nf\nftlab run ",
            "\\-\\-untimed",
            "\n.SH NOTES\n",
        ],
    );
}
