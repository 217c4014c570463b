//! Cards of drives from 2008 to today, `docs/cards/`, and the page that compares how far their forms are off.

use super::{lab, write};
use crate::peers;
use anyhow::{Context, Result};
use ftlab_base::RootSeed;
use ftlab_bench::cards::{self, Setting};
use ftlab_card::{Asked, Figures, Grid, Load, Off, Planes, Predicted, Row, TARGETS, Unit, Way};
use ftlab_drive::{Catalog, DriveFile, Kind};
use ftlab_host::Testbed;
use ftlab_lab::{Lab, Subject};
use ftlab_states::State;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

/// The drives, in the order of their years.
const DRIVES: [&str; 10] = [
    "wd-velociraptor-300",
    "intel-x25-m-g2-80",
    "crucial-c300-256",
    "ocz-vertex3-240",
    "intel-dc-s3700-200",
    "samsung-850-evo-250",
    "intel-660p-1000",
    "samsung-980-pro-1000",
    "micron-7450-max-800",
    "solidigm-p5520-1920",
];
/// The size in which larger drives run, as `ftlab card` has it.
const MEASURED_BYTES: u64 = 16_000_000_000;

const HEAD: &str = "\
# Drive cards

What other programs read of ten modelled drives: written by `ftlab card`, drawn by

```sh
cargo run --release -p xtask -- docs cards
```

[The guide](../guides/drive-cards.md) says which card is for which program, and how each is used. Every figure here is one
of a model. Nothing on this page is typed in.

Each form keeps less of a drive than the model does, and each card says how much that costs: what follows from its numbers
under loads that it was not made of, beside what the model gives. Below stands the median over these loads with the worst
behind it, in percent of the model's figure. `json` is interpolated between its rows; `simple` is fitted to reads alone and
writes alone at random, and asked for mixes in both orders; the rates that `iocost` and `seastar` state are asked for other
sizes and mixes. `femu` and `nvmevirt` are read again by `ftlab import`, and that drive runs beside the one that it is of:
this is no run of those programs. {MQSIM}

A drive whose translation layer is not one of pages has no card for `femu`, `nvmevirt` and `mqsim`.
";

/// What the page says of MQSim's card, with its program at hand and without.
const WITH_MQSIM: &str = "`mqsim` is by runs of MQSim's program beside the model, of reads alone and writes alone at random,
with the drive in its steady state, with spare area of 30 %, and in the smallest form of 6, 12 or 20 GB that MQSim can fill.
Where no number stands, MQSim filled none of these forms or ran none of the loads to its end.";
const WITHOUT_MQSIM: &str =
    "MQSim's program was not run for this page (`MQSIM=/path/to/MQSim` before the command runs it):
[the page of peers](../peers.md) has its runs with this card.";

/// Spare area with which MQSim can fill a drive and collect it: it stops where a plane has too few free blocks.
const SPARE_OF_MQSIM: &str = "spare.op=0.3";
/// Bytes of the forms that it is tried with. It cannot fill blocks of a few pages, and in a large form a run ends before
/// a block is collected.
const BYTES_OF_MQSIM: [u64; 3] = [6_000_000_000, 12_000_000_000, 20_000_000_000];

/// A card of a drive, and how far it is off.
struct Made {
    form: &'static str,
    file: String,
    off: Vec<Off>,
}

/// Writes all cards and the page; takes some minutes.
pub fn draw() -> Result<()> {
    let lab = lab()?;
    let mut all = Vec::new();
    for slug in DRIVES {
        let drive = Catalog::default().load(slug, &[])?;
        let made = draw_cards(&drive, &lab).with_context(|| slug.to_owned())?;
        all.push((drive, made));
    }
    write("docs/cards/README.md", &page(&all))
}

fn draw_cards(drive: &DriveFile, lab: &Lab) -> Result<Vec<Made>> {
    let subject = Subject::fit(vec![Subject::from(drive.clone())], Some(MEASURED_BYTES))?.remove(0);
    let machine = Testbed::load(subject.usual_testbed())?;
    let setting = Setting {
        subject: Arc::new(subject),
        machine: Arc::new(machine),
        state: State::Filled,
        seed: RootSeed(1),
    };
    let (grid, source) = (Grid::default(), setting.source());
    let forms = TARGETS.iter().filter_map(|target| match target.way {
        Way::Figures(form) => Some(form),
        Way::Drive { .. } => None,
    });
    let loads: Vec<Load> = forms.flat_map(|form| (form.loads)(&grid)).collect();
    let rows: Vec<Row> = cards::rows(&setting, &loads, lab, &|_, _| ())?;
    let mut made = Vec::new();
    for target in TARGETS {
        let (files, off) = match target.way {
            Way::Figures(form) => {
                let drawn = (form.draw)(&Figures {
                    source: &source,
                    grid: &grid,
                    rows: &rows,
                })?;
                (vec![(drawn.name, drawn.text)], drawn.off)
            }
            Way::Drive { .. } if !maps_pages(drive) => continue,
            Way::Drive { write, back } => {
                let asked = asked(drive);
                let (card, off) = match back {
                    Some(back) => cards::reread(&asked, (write, back), &setting, lab, &|_, _| ())?,
                    None => {
                        let off = off_of_mqsim(&setting, lab)?;
                        (write(&Asked { off: &off, ..asked })?, off)
                    }
                };
                (card.files, off)
            }
        };
        for (name, text) in &files {
            write(&format!("docs/cards/{}/{name}", drive.slug()), text)?;
        }
        made.push(Made {
            form: target.name,
            file: files[0].0.clone(),
            off,
        });
    }
    Ok(made)
}

/// How far MQSim is off with its card, where its program is at hand.
fn off_of_mqsim(setting: &Setting, lab: &Lab) -> Result<Vec<Off>> {
    let Some(program) = std::env::var_os("MQSIM") else {
        return Ok(Vec::new());
    };
    let program = Path::new(&program);
    let Some(drive) = filled_by_mqsim(program, setting.subject.slug())? else {
        return Ok(Vec::new());
    };
    let small = Setting {
        subject: Arc::new(Subject::from(drive.clone())),
        // What its own preconditioning makes of a drive.
        state: State::Steady,
        ..setting.clone()
    };
    let model = cards::rows(&small, &peers::LOADS_OF_CARD, lab, &|_, _| ())?;
    let asked = |row: &Row| {
        let given = peers::predicted_by_mqsim(program, &drive, row.load);
        let given = given.inspect_err(|why| eprintln!("{}: {why:#}", row.load.name()));
        Some((row.load, given.ok()?))
    };
    let given: Vec<(Load, Predicted)> = lab
        .run(&model, |_| 0, asked)
        .into_iter()
        .flatten()
        .collect();
    let rows: Vec<&Row> = (model.iter())
        .filter(|row| given.iter().any(|(load, _)| *load == row.load))
        .collect();
    Ok(ftlab_card::off(
        &rows,
        "reads alone and writes alone at random that MQSim ran, in the steady state with spare area of 30 %",
        |row| {
            let of_load = given.iter().find(|(load, _)| *load == row.load);
            of_load.expect("others are left out").1
        },
    ))
}

/// The smallest form of a drive that MQSim can fill, of those that it is tried with, in pages and in slots.
fn filled_by_mqsim(program: &Path, slug: &str) -> Result<Option<DriveFile>> {
    let drive = Catalog::default().load(slug, &[SPARE_OF_MQSIM.to_owned()])?;
    let is_quick = |load: &&Load| load.depth == 1 && load.read_pct == 100;
    let reads: Vec<&Load> = peers::LOADS_OF_CARD.iter().filter(is_quick).collect();
    for bytes in BYTES_OF_MQSIM {
        let (small, _) = drive.shrunk_to(bytes)?;
        let runs = |load: &&Load| peers::predicted_by_mqsim(program, &small, **load).is_ok();
        if reads.iter().all(runs) {
            return Ok(Some(small));
        }
    }
    Ok(None)
}

/// Slots as pages where the program knows one of both: with whole pages a small write would cost several times as much.
fn asked(drive: &DriveFile) -> Asked<'_> {
    Asked {
        drive,
        load: None,
        filled: true,
        unit: Unit::Slot,
        planes: Planes::Joined,
        off: &[],
    }
}

fn maps_pages(drive: &DriveFile) -> bool {
    let rows = drive.parameters();
    let scheme = rows.iter().find(|row| row.key == "map.scheme");
    drive.kind() == Kind::Ssd && scheme.is_some_and(|row| row.value == "page")
}

fn page(all: &[(DriveFile, Vec<Made>)]) -> String {
    let of_mqsim = match std::env::var_os("MQSIM") {
        Some(_) => WITH_MQSIM,
        None => WITHOUT_MQSIM,
    };
    let mut page = HEAD.replace("{MQSIM}", of_mqsim);
    for figure in ["rate", "mean latency", "p99 latency"] {
        let _ = write!(page, "\n## Off in {figure}\n\n| drive |");
        for target in TARGETS {
            let _ = write!(page, " {} |", target.name);
        }
        let _ = write!(page, "\n|---|{}\n", "--:|".repeat(TARGETS.len()));
        for (drive, made) in all {
            let _ = write!(page, "| {} |", drive.slug());
            for target in TARGETS {
                let card = made.iter().find(|card| card.form == target.name);
                let _ = write!(
                    page,
                    " {} |",
                    card.map_or("–".to_owned(), |card| cell(card, drive, figure))
                );
            }
            page.push('\n');
        }
    }
    page + BELOW
}

/// The median and the worst of a figure, over all sets of loads that a form was not made of.
fn cell(card: &Made, drive: &DriveFile, figure: &str) -> String {
    let of_figure = card.off.iter().filter(|off| off.figure == figure);
    let judged: Vec<&Off> = of_figure
        .filter(|off| !off.loads.contains("fitted to"))
        .collect();
    let link = format!("{}/{}", drive.slug(), card.file);
    match judged.iter().map(|off| off.worst_pct).reduce(f64::max) {
        None => format!("[card]({link})"),
        Some(worst) => {
            let medians: Vec<String> = judged
                .iter()
                .map(|off| format!("{:.0}", off.median_pct))
                .collect();
            format!("[{}]({link}) ({worst:.0})", medians.join(", "))
        }
    }
}

const BELOW: &str = "
Two medians are those of loads at random and in order. A link leads to the card, which says more. A card without a number
says nothing of this figure.
";
