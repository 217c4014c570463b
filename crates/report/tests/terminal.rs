//! The terminal tables: every figure, within the width, readable without colour.

use crate::sample;
use ftlab_report::terminal;

const WIDTH: usize = 100;

#[test]
fn every_figure_has_its_row_and_every_row_fits() {
    let set = sample::sample();
    let text = terminal::render(&set, WIDTH, false);
    for line in text.lines() {
        assert!(line.chars().count() <= WIDTH, "{line}");
    }
    for figure in &set.figures {
        let rows = text
            .lines()
            .filter(|line| line.starts_with(&figure.id))
            .count();
        assert_eq!(rows, 1, "{}", figure.id);
    }
    assert!(!text.contains('\u{1b}'));
}

#[test]
fn figures_are_grouped_by_family_and_end_in_the_tally() {
    let text = terminal::render(&sample::sample(), WIDTH, false);
    let head: Vec<&str> = text.lines().take(4).collect();
    assert_eq!(
        head,
        [
            "A1 Random writes, 4 KiB",
            "id     drive             test                    metric        published  simulated   error  verdict",
            "F0170  spinfree-core-64  randwrite-4k-qd1        iops                4.1       4.10     0 %  pass",
            "F0171  spinfree-core-64  randwrite-4k-qd1        mb_s             0.0178     0.0168  −5.6 %  pass",
        ]
    );
    assert_eq!(
        text.lines().last(),
        Some("60 pass, 0 fail, 1 shown; error of 52 scored: median 4.5 %, worst 15 %")
    );
}

#[test]
fn runs_without_a_published_figure_are_listed() {
    let text = terminal::render(&sample::sample(), WIDTH, false);
    let list = text
        .split("Runs without published figures\n")
        .nth(1)
        .expect("the list is there");
    let row = list
        .lines()
        .find(|line| line.starts_with("barefoot-class-128  randwrite-4k-qd1 "));
    let cells: Vec<&str> = row
        .expect("the drive nobody measured")
        .split_whitespace()
        .collect();
    assert_eq!(
        cells[2..],
        ["used", "3,230", "13.2", "310", "µs", "44", "ms"]
    );
}

#[test]
fn colour_adds_to_the_words_and_takes_none_away() {
    let set = sample::sample();
    let text = terminal::render(&set, WIDTH, true);
    assert!(text.contains("\u{1b}["));
    let pass = text
        .lines()
        .find(|line| line.starts_with("F0170"))
        .expect("the first figure");
    assert!(pass.contains("pass"));
}

#[test]
fn repeats_have_their_intervals_and_what_does_not_depend_on_the_seed_says_so() {
    let text = terminal::render(&sample::repeated(), WIDTH, false);
    let row = |id: &str, drive: &str| {
        let of = |line: &&str| line.starts_with(id) && line.contains(drive);
        text.lines()
            .find(of)
            .expect("the figure is there")
            .to_owned()
    };
    assert!(row("F0170", "spinfree").contains(" 4.10 ± 0 "), "{text}");
    assert!(row("F0175", "hanok").contains(" ± 0."), "{text}");
    assert!(text.contains("Each run was made 3 times"), "{text}");
    for line in text.lines() {
        assert!(line.chars().count() <= WIDTH, "{line}");
    }
    let once = terminal::render(&sample::sample(), WIDTH, false);
    assert!(!once.contains('±') && !once.contains("seed"), "{once}");
}
