//! The help of every command: how wide it is, and whether it shows how the command is called.

use super::place::Place;

/// The widest line of help.
const COLUMNS: usize = 80;

/// Faults are words of one command, which shows how they are given.
const SHOWN_ABOVE: &str = "fault x.img ";

/// A command that has others below it needs this word before theirs.
const TARGETS: [(&str, &str); 1] = [("fault", "fault x.img")];

/// Headings of a help that list no commands.
const NO_COMMANDS: [&str; 4] = ["Usage", "Arguments:", "Options:", "Examples:"];

/// The names under the headings of a help that list commands.
fn below(help: &str) -> Vec<String> {
    let (lists, _) = help.split_once("\nOptions:").unwrap_or((help, ""));
    let lists = lists.split("\n\n").filter(|part| {
        let heading = part.trim_start().lines().next().unwrap_or("");
        heading.ends_with(':') && !NO_COMMANDS.contains(&heading)
    });
    let lines = lists.flat_map(|part| part.trim_start().lines().skip(1));
    let lines = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = lines.filter_map(|line| line.split_whitespace().next());
    names
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// Every command as it is called, with its short and its long help.
pub fn of_all_commands(place: &Place) -> Vec<(String, [String; 2])> {
    let mut found = Vec::new();
    let mut calls = vec![String::new()];
    while let Some(call) = calls.pop() {
        let [short, long] = ["-h", "--help"].map(|flag| place.out(&format!("{call} {flag}")));
        let prefix = TARGETS.iter().find(|(name, _)| *name == call);
        let prefix = prefix.map_or(call.clone(), |(_, with)| (*with).to_owned());
        if call.is_empty() || ["trace", "import", "fault"].contains(&&*call) {
            calls.extend(
                below(&long)
                    .iter()
                    .map(|name| format!("{prefix} {name}").trim().to_owned()),
            );
        }
        found.push((call, [short, long]));
    }
    found
}

#[test]
fn no_help_is_wider_than_a_terminal_and_each_has_examples() {
    let place = Place::new();
    let all = of_all_commands(&place);
    assert!(all.len() > 55, "{} commands", all.len());
    let mut wrong = Vec::new();
    for (call, helps) in &all {
        for line in helps.iter().flat_map(|help| help.lines()) {
            if line.chars().count() > COLUMNS {
                wrong.push(format!("{call}: {line}"));
            }
        }
        let begins = format!("  ftlab {call}");
        let examples = helps[1]
            .lines()
            .filter(|line| line.starts_with(&begins))
            .count();
        if examples < 2 && !call.starts_with(SHOWN_ABOVE) {
            wrong.push(format!("{call}: {examples} examples"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn help_lists_commands_in_groups_and_options_of_traces_apart() {
    let place = Place::new();
    let help = place.out("--help");
    for heading in [
        "Drives:",
        "Run loads:",
        "Plan a purchase:",
        "Study:",
        "Maintain:",
    ] {
        assert!(
            help.contains(&format!("\n{heading}\n")),
            "{heading}\n{help}"
        );
    }
    for command in ["run", "plan"] {
        let help = place.out(&format!("{command} --help"));
        let (_, traces) = help.split_once("\nRecorded traces:\n").expect(command);
        for option in ["--pace", "--fit", "--window", "--share"] {
            assert!(traces.contains(option), "{command} {option}");
        }
    }
    assert!(place.out("fio --help").contains("docs/fio.md"));
}
