//! The page of claims: every one with its verdict, the figures and the runs that gave them.

use super::write;
use crate::plan::{MEMORY_BYTES, threads};
use anyhow::Result;
use ftlab_base::RootSeed;
use ftlab_bench::ask;
use ftlab_claims::{Judged, Plan, Verdict, summary};
use ftlab_lab::{Event, Lab};
use std::fmt::Write;

const HEAD: &str = "\
# Claims

What the reviews behind `reference/` say in words, each statement checked by simulation. Drawn by
`cargo run --release -p xtask -- docs claims`; nothing on this page is typed in. A claim *holds* or *fails* by its own
words: an order, a ratio, a shape, with the tolerance that its words leave. *Open* is what waits for a drive
file or a mechanism, *not for a model* what no model of a drive can tell.
";

/// Checks every claim and writes the page; takes some minutes.
pub fn draw() -> Result<()> {
    let plan = Plan {
        ids: Vec::new(),
        drives: Vec::new(),
        seed: RootSeed(1),
    };
    let checks = plan.checks()?;
    let lab = Lab::new(threads(None), MEMORY_BYTES)?;
    let ends = ask::run(&checks, &lab, &|_, event| {
        if let Event::Part(label) = event {
            eprintln!("{label}");
        }
        Ok(())
    })?;
    let judged = checks.judged(ends);
    write("docs/claims.md", &render(&judged))?;
    println!("{}", summary(&judged));
    Ok(())
}

/// Renders the page as Markdown.
fn render(judged: &[Judged]) -> String {
    let mut page = format!("{HEAD}\n{}.\n", summary(judged));
    for verdict in Verdict::ALL {
        let those: Vec<&Judged> = judged.iter().filter(|one| one.verdict == verdict).collect();
        if those.is_empty() {
            continue;
        }
        write!(page, "\n## {}\n\n", title(verdict)).expect("to a string");
        match verdict {
            Verdict::Holds | Verdict::Fails => decided(&mut page, &those),
            Verdict::Open | Verdict::NotForAModel => undecided(&mut page, &those, verdict),
        }
    }
    page
}

fn title(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "Claims that hold",
        Verdict::Fails => "Claims that fail",
        Verdict::Open => "Open claims",
        Verdict::NotForAModel => "Claims that no model can decide",
    }
}

fn decided(page: &mut String, those: &[&Judged]) {
    page.push_str("| id | claim | measured | by |\n|---|---|---|---|\n");
    for one in those {
        let runs: Vec<String> = one.runs.iter().map(|run| format!("`{run}`")).collect();
        writeln!(
            page,
            "| {} | {} | {} | {} |",
            one.claim.id,
            cell(&one.claim.claim),
            cell(&one.measured),
            cell(&runs.join("<br>"))
        )
        .expect("to a string");
    }
}

fn undecided(page: &mut String, those: &[&Judged], verdict: Verdict) {
    let why = match verdict {
        Verdict::Open => "waits for",
        _ => "why",
    };
    write!(page, "| id | claim | {why} |\n|---|---|---|\n").expect("to a string");
    for one in those {
        writeln!(
            page,
            "| {} | {} | {} |",
            one.claim.id,
            cell(&one.claim.claim),
            cell(&one.measured)
        )
        .expect("to a string");
    }
}

/// Text within a table: a bar would end the cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
