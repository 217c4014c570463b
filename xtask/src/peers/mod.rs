//! ftlab beside other simulators, on the same published figures, as a page.
//!
//! A question is a test of the suite `modern` on a drive that figures were published of. ftlab answers it by a review,
//! another simulator by what a [`Peer`] makes of it: the files that `ftlab-card` writes of the same drive file and the
//! same job, a run, and what the program says of it. A simulator is one file with a [`Peer`], and a line in [`peers`].

mod card;
mod mqsim;
mod own;
mod page;
mod process;
mod question;

use crate::docs::write;
use anyhow::{Context, Result, bail};
use clap::Args;
use ftlab_base::StreamHash;
use ftlab_drive::version;
use ftlab_result::Figure;
use question::{Question, Questions};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

pub use card::{LOADS as LOADS_OF_CARD, predicted_by_mqsim};
pub use own::{OwnOptions, review_one};

/// Drives are taken in forms of about so many bytes, by all simulators alike: others fill a terabyte for hours.
const SHRINK_TO: u64 = 6_000_000_000;

#[derive(Debug, Args)]
pub struct Options {
    /// Keep answers in this folder, and take up those that are there
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// Ask of this drive alone, and print the page instead of writing it; may be repeated
    #[arg(long, value_name = "DRIVE")]
    drive: Vec<String>,
}

/// What a run of a program took.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Took {
    /// Time of processors, also that in the kernel.
    pub cpu_seconds: f64,
    /// The most memory that was resident.
    pub memory_bytes: u64,
}

/// What a simulator answers to a question.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Answer {
    /// Values by the metric's name in the reference table, in its unit.
    pub values: BTreeMap<String, f64>,
    /// Reason why there is none for any other metric.
    pub why: String,
    /// Differences between the question and what was run.
    pub remarks: Vec<String>,
    /// What the run took.
    pub took: Took,
}

/// Another simulator.
pub trait Peer: Sync {
    /// Its name.
    fn name(&self) -> &'static str;
    /// The version that is run.
    fn version(&self) -> String;
    /// How it was asked, a sentence or more for each thing a reader has to know.
    fn notes(&self) -> &'static [&'static str];
    /// Why it has no value for a metric in any run; none if it may have one.
    fn never(&self, metric: &str) -> Option<&'static str>;
    /// Runs a question in a folder that is its own. An error is a run that came to nothing, and is shown.
    fn ask(&self, question: &Question, folder: &Path) -> Result<Answer>;
}

/// ftlab's answer to a question: figures as a review compares them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Own {
    figures: Vec<Figure>,
    took: Took,
}

/// A question with both answers.
#[derive(Debug, Serialize, Deserialize)]
struct Asked {
    drive: String,
    test: String,
    own: Own,
    theirs: Answer,
}

/// The simulators whose programs are at hand.
fn peers() -> Result<Vec<Box<dyn Peer>>> {
    let mut peers: Vec<Box<dyn Peer>> = Vec::new();
    if let Some(program) = std::env::var_os("MQSIM") {
        peers.push(Box::new(mqsim::Mqsim::of(Path::new(&program))?));
    }
    if peers.is_empty() {
        bail!(
            "there is no simulator to compare with: give MQSIM=path of a program that you built from MQSim's source, \
             https://github.com/CMU-SAFARI/MQSim"
        );
    }
    Ok(peers)
}

/// Asks all simulators everything, and writes the page.
pub fn draw(options: &Options) -> Result<()> {
    let peers = peers()?;
    let Questions {
        questions,
        too_large,
    } = question::all(&options.drive)?;
    let mut sections = Vec::new();
    for peer in &peers {
        let asked = ask_all(peer.as_ref(), &questions, options.keep.as_deref())?;
        sections.push((peer.as_ref(), asked));
    }
    let page = page::render(&sections, &too_large)?;
    match options.drive.is_empty() {
        true => write("docs/peers.md", &page),
        false => {
            print!("{page}");
            Ok(())
        }
    }
}

/// Asks ftlab and a peer the questions, as many at a time as there are cores.
fn ask_all(peer: &dyn Peer, questions: &[Question], keep: Option<&Path>) -> Result<Vec<Asked>> {
    let next = Mutex::new(0..questions.len());
    let answers = Mutex::new(BTreeMap::new());
    let work = || -> Result<()> {
        loop {
            let Some(n) = next.lock().expect("no thread panics with it").next() else {
                return Ok(());
            };
            let asked = ask(peer, &questions[n], keep)?;
            answers
                .lock()
                .expect("no thread panics with it")
                .insert(n, asked);
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..crate::plan::threads(None))
            .map(|_| scope.spawn(work))
            .collect();
        let ended = threads
            .into_iter()
            .map(|thread| thread.join().expect("it does not panic"));
        ended.collect::<Result<Vec<()>>>()
    })?;
    let answers = answers.into_inner().expect("no thread panics with it");
    Ok(answers.into_values().collect())
}

/// The name of the file of an answer: with a mark of all that decides it, so that no answer to another question is taken up.
fn kept_as(peer: &dyn Peer, question: &Question) -> String {
    let mut mark = StreamHash::default();
    for part in [
        question.drive.text(),
        format!("{:?}", question.jobs),
        peer.version(),
        version(),
    ] {
        mark.bytes(part.as_bytes());
    }
    format!(
        "{}-{}-{}-{:016x}.json",
        peer.name(),
        question.drive.slug(),
        question.test.step.slug,
        mark.value()
    )
}

/// Asks both one question, or takes up what they said when they were asked before.
fn ask(peer: &dyn Peer, question: &Question, keep: Option<&Path>) -> Result<Asked> {
    let kept = keep.map(|folder| folder.join(kept_as(peer, question)));
    if let Some(path) = kept.as_deref().filter(|path| path.exists()) {
        let text = std::fs::read_to_string(path)?;
        return serde_json::from_str(&text)
            .with_context(|| format!("{} is no answer; remove it", path.display()));
    }
    let own = own::ask(question)?;
    let folder = tempfile::tempdir()?;
    let theirs = peer
        .ask(question, folder.path())
        .unwrap_or_else(|error| Answer {
            why: format!("{error:#}"),
            ..Answer::default()
        });
    eprintln!(
        "{} {}: {} values of {}'s",
        question.drive.slug(),
        question.test.step.slug,
        theirs.values.len(),
        peer.name()
    );
    let asked = Asked {
        drive: question.drive.slug().to_owned(),
        test: question.test.step.slug.clone(),
        own,
        theirs,
    };
    if let Some(path) = kept {
        std::fs::create_dir_all(path.parent().expect("it is in a folder"))?;
        std::fs::write(&path, serde_json::to_string(&asked)?)?;
    }
    Ok(asked)
}
