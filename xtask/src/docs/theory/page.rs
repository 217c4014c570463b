//! The page: what is compared, how, and the tables.

use super::case::{Case, DRIVE, Load, PAGES};
use super::chart::{HOT_COLD, SPARE, TRIM};
use super::runs::Point;
use ftlab_theory::{Policy, in_use_after_trims_of_used};
use std::fmt::Write;

/// The command that draws the page.
const DRAWN_BY: &str = "cargo run --release -p xtask -- docs theory";

/// The point with its simulated figure as far as the page prints it, so that page and charts can be
/// drawn again from the page.
pub fn as_printed(point: Point) -> Point {
    let printed = figure(point.simulated).parse();
    Point {
        simulated: printed.expect("a printed number is one"),
        ..point
    }
}

fn signed(error: f64) -> String {
    // Adding 0 takes the sign from what rounds to it.
    let percent = (1e4 * error).round() / 100.0 + 0.0;
    format!("{percent:+.2} %").replace('-', "−")
}

fn figure(wa: f64) -> String {
    format!("{wa:.4}")
}

/// The agreement of simulation and theory, in a sentence.
pub fn summary(points: &[Point]) -> String {
    let size = |point: &Point| point.error().abs();
    let worst = points
        .iter()
        .max_by(|one, other| size(one).total_cmp(&size(other)));
    let Some(worst) = worst else {
        return "Nothing was simulated.".to_owned();
    };
    let mean = points.iter().map(size).sum::<f64>() / points.len() as f64;
    format!(
        "{} cases; error {:.2} % on average, {} at worst ({}).",
        points.len(),
        100.0 * mean,
        signed(worst.error()),
        worst.case
    )
}

pub fn render(points: &[Point]) -> String {
    let mut page = introduction(points);
    page += &uniform(points);
    page += &hot_cold(points);
    page += &trim(points);
    page
}

fn introduction(points: &[Point]) -> String {
    // The command is that of the first row, so that a reader can try what he sees there.
    let settings = points.first().map(|point| point.case.settings(PAGES));
    let example = settings.unwrap_or_default().iter().fold(
        format!(
            "ftlab run jobs/{} --drive {DRIVE} --untimed",
            format_args!("{}.fio", Load::Uniform.job())
        ),
        |line, setting| line + " \\\n    --set " + setting,
    );
    let summary = summary(points);
    let power = PAGES.ilog2();
    format!(
        "\
# Write amplification: theory and simulation

<!-- Drawn by the command below; edit xtask/src/docs/theory, not this page. -->

For some policies and loads the write amplification (WA) of a page-mapped drive is known in closed form. This page sets
simulated drives beside it: same policy, same load, same spare area, same block size.

**{summary}**

```sh
{DRAWN_BY}
```

draws the page and its charts. The simulated drive is `{DRIVE}` with 2^{power} pages on four dies, so that each die has
thousands of blocks, as the theory assumes infinitely many. The first row of the first table, for example, is

```sh
{example}
```

The closed forms are functions of `crates/theory`, each with formula and source in its documentation. Symbols: α = 1 +
OP, physical over logical pages, without what a drive keeps erased; b, pages of a block; WA = 1/(1 − u) with u the valid
share of the victims. Every simulated row is within 0.5 % of its closed form, random victims within 1 %.
`xtask/src/docs/theory/tests/values.rs` simulates every second of them, and all in `make soak`.

"
    )
}

fn of_load<'a>(
    points: &'a [Point],
    policy: Policy,
    fits: impl Fn(Load) -> bool + 'a,
) -> impl Iterator<Item = &'a Point> {
    points
        .iter()
        .filter(move |point| point.case.policy == policy && fits(point.case.load))
}

/// The policies of the points under some load, in their order, each once.
fn policies(points: &[Point], fits: impl Fn(Load) -> bool) -> Vec<Policy> {
    let mut policies: Vec<Policy> = Vec::new();
    for point in points.iter().filter(|point| fits(point.case.load)) {
        if !policies.contains(&point.case.policy) {
            policies.push(point.case.policy);
        }
    }
    policies
}

fn percent(share: f64) -> String {
    format!("{} %", (share * 1000.0).round() / 10.0)
}

/// Closed form, simulated figure and error: the last cells of every row.
fn compared(point: &Point) -> String {
    format!(
        "{} | {} | {} |\n",
        figure(point.theory),
        figure(point.simulated),
        signed(point.error())
    )
}

fn picture(file: &str, what: &str) -> String {
    format!("![{what}]({})\n\n", super::image(file))
}

fn uniform(points: &[Point]) -> String {
    let mut text = "\
## Uniform random writes

Every address is equally likely at every write. The job is `jobs/uniform-random-4k.fio`, on a filled drive.

| victims | closed form |
|---|---|
| FIFO | 1 − 1/WA = exp(−α/WA), so WA = α / (α + W₀(−α e^−α)), W₀ the principal Lambert W; any b |
| greedy | WA = b/(b − j − 1 + q), where q/(j + 1) + H_b − H_(j+1) = α(b − j − 1 + q)/b, 0 ≤ q < 1, H_n harmonic numbers |
| best of d drawn at random | m_i, the share of blocks with i valid pages: λ i m_i = 1 − (Σ_(l≥i) m_l)^d, Σ i m_i = b/α; WA = α/λ |
| random | WA = α/(α − 1); any b |

"
    .to_owned();
    text += &picture(
        SPARE,
        "Write amplification against over-provisioning: closed forms as lines, simulated drives as dots on them",
    );
    // A table a policy: their closed forms are of different kinds.
    for policy in policies(points, |load| load == Load::Uniform) {
        let _ = writeln!(text, "### {policy}\n");
        text += "| OP | pages a block | closed form | simulated | error |\n|---:|---:|---:|---:|---:|\n";
        for point in of_load(points, policy, |load| load == Load::Uniform) {
            let Case {
                op,
                pages_per_block,
                ..
            } = point.case;
            let _ = write!(text, "| {} | {pages_per_block} | ", percent(op));
            text += &compared(point);
        }
        text += "\n";
    }
    text
}

fn hot_cold(points: &[Point]) -> String {
    let mut text = "\
## Hot and cold addresses

A share f of the addresses gets a share r of the writes. The jobs are `jobs/hot-cold-*.fio`, on a new drive, with FIFO
collection and 128 pages a block. In one log, WA = Σ r_k / (1 − exp(−α r_k/(f_k WA))): worse than uniform writes, since
cold data are copied again and again. With logs and spare area of their own for hot and for cold data (`--set
gc.streams=by-address --set gc.hot_share=f --set gc.reserve=4`), WA = Σ r_k WA₁(1 + op_k), where WA₁ is the closed form for uniform writes and
class k gets a share of the spare area in proportion to √(r_k f_k), which is within 0.2 % of the best.

"
    .to_owned();
    text += &picture(
        HOT_COLD,
        "Write amplification of FIFO with hot and cold addresses: one log is worse than uniform writes, separate logs are much better",
    );
    // Uniform writes stand in each row, as the measure of what the skew costs or saves.
    for (separate, title) in [(false, "One log"), (true, "Separate logs")] {
        let _ = writeln!(text, "### {title}\n");
        text += "| OP | f / r | closed form | simulated | error | uniform writes |\n";
        text += "|---:|---:|---:|---:|---:|---:|\n";
        let of_title = points
            .iter()
            .filter(|point| point.case.separate == separate);
        for point in of_title {
            let Load::HotCold {
                addresses_percent: f,
                writes_percent: r,
            } = point.case.load
            else {
                continue;
            };
            let uniform = point
                .case
                .policy
                .uniform(1.0 + point.case.op, point.case.pages_per_block);
            let uniform = uniform.map_or("–".to_owned(), figure);
            let _ = write!(text, "| {} | {f} % / {r} % | ", percent(point.case.op));
            let _ = writeln!(text, "{} {uniform} |", compared(point).trim_end());
        }
        text += "\n";
    }
    text
}

fn trim(points: &[Point]) -> String {
    let mut text = "\
## TRIM

A share q of the requests trims a random address that holds data, the others write anywhere. Births, (1 − q)(1 − s), and
deaths, q, balance when a share s = (1 − 2q)/(1 − q) of the addresses holds data, and the closed forms above hold with
α/s in place of α; WA counts a host write, and a trim is none. The jobs are `jobs/trim-*.fio`, on a filled drive, with
128 pages a block. Trims of *any* address, which may hold nothing, are another load: there s = 1 − q.

"
    .to_owned();
    text += &picture(
        TRIM,
        "Write amplification against the share of trims: a tenth of trims more than halves write amplification at 7 % of spare area",
    );
    let is_trim = |load| matches!(load, Load::Trim { .. });
    // A table a policy, as for uniform writes.
    for policy in policies(points, is_trim) {
        let _ = writeln!(text, "### {policy}, with TRIM\n");
        text +=
            "| OP | q | s | closed form | simulated | error |\n|---:|---:|---:|---:|---:|---:|\n";
        for point in of_load(points, policy, is_trim) {
            let Load::Trim { percent: q } = point.case.load else {
                continue;
            };
            let in_use = in_use_after_trims_of_used(f64::from(q) / 100.0);
            let in_use = in_use.map_or("–".to_owned(), |share| format!("{share:.4}"));
            let _ = write!(text, "| {} | {q} % | {in_use} | ", percent(point.case.op));
            text += &compared(point);
        }
        text += "\n";
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}
