//! What is kept of predictions: their files, by rounds, the published values, and the seals.

use crate::docs::place;
use anyhow::{Context, Result, ensure};
use ftlab_bench::forecast::{self, Row};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The folder of all.
const FOLDER: &str = "predictions";

/// Folders of sheets and jobs, in which no predictions are.
const OTHERS: [&str; 3] = ["known", "sheets", "jobs"];

/// A published value.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The prediction's id.
    pub id: String,
    /// In the prediction's unit.
    pub published: f64,
    /// The day on which it was looked up.
    pub looked_up: String,
    pub source: String,
    pub url: String,
    pub note: String,
}

/// A prediction, and what was published of it.
#[derive(Debug, Clone)]
pub struct Compared {
    /// The folder that it is from.
    pub round: String,
    pub row: Row,
    pub published: Option<Published>,
}

impl Compared {
    /// The logarithm by which the middle member is above what was published.
    pub fn error(&self) -> Option<f64> {
        Some((self.row.middle / self.published.as_ref()?.published).ln())
    }

    /// True where the published value lies in the range.
    pub fn is_hit(&self) -> bool {
        let published = self.published.as_ref();
        published.is_some_and(|of| (self.row.low..=self.row.high).contains(&of.published))
    }
}

/// All that is kept.
#[derive(Debug, Clone, Default)]
pub struct Kept {
    pub rows: Vec<Compared>,
    /// Marks of the files of predictions, by their paths.
    pub seals: BTreeMap<String, String>,
    /// What is to be said of the rounds.
    pub notes: String,
}

impl Kept {
    /// Reads the repository's.
    pub fn read() -> Result<Kept> {
        Kept::of(&place(FOLDER))
    }

    /// Reads a folder, and checks it.
    pub fn of(folder: &Path) -> Result<Kept> {
        let published = published(folder)?;
        let sealed = sealed(folder)?;
        let mut kept = Kept::default();
        for round in rounds(folder)? {
            let mut files: Vec<_> = fs::read_dir(folder.join(&round))?
                .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
                .collect::<Result<_>>()?;
            files.retain(|name| name.ends_with(".csv"));
            files.sort();
            for file in files {
                let name = format!("{round}/{file}");
                let text = fs::read_to_string(folder.join(&name))?;
                let seal = forecast::seal(&text);
                let was = sealed.get(&name);
                ensure!(
                    was.is_none_or(|was| *was == seal),
                    "{name} was changed after it was sealed: a prediction stays as it was made"
                );
                let rows = forecast::read(&text).map_err(|why| anyhow::anyhow!("{name}: {why}"))?;
                for row in rows {
                    ensure!(
                        file.starts_with(&row.date),
                        "{name}: {} is of another day",
                        row.id
                    );
                    let published = published.get(&row.id).cloned();
                    if let Some(of) = &published {
                        ensure!(
                            row.date <= of.looked_up,
                            "{}: it was looked up on {}, before it was predicted",
                            row.id,
                            of.looked_up
                        );
                    }
                    let round = round.clone();
                    kept.rows.push(Compared {
                        round,
                        row,
                        published,
                    });
                }
                kept.seals.insert(name, seal);
            }
        }
        let gone = sealed.keys().find(|name| !kept.seals.contains_key(*name));
        ensure!(gone.is_none(), "{gone:?} was sealed and is gone");
        let ids: BTreeSet<&str> = kept.rows.iter().map(|row| row.row.id.as_str()).collect();
        let lost = published.keys().find(|id| !ids.contains(id.as_str()));
        ensure!(lost.is_none(), "{lost:?} was published and not predicted");
        let notes = folder.join("notes.md");
        if notes.exists() {
            kept.notes = fs::read_to_string(notes)?;
        }
        Ok(kept)
    }

    /// The file of seals.
    pub fn seals_text(&self) -> String {
        let rows = self
            .seals
            .iter()
            .map(|(file, seal)| format!("{file},{seal}\n"));
        "file,seal\n".to_owned() + &rows.collect::<String>()
    }

    /// The number of drives.
    pub fn drives(&self) -> usize {
        let drives: BTreeSet<&str> = self.rows.iter().map(|row| row.row.drive.as_str()).collect();
        drives.len()
    }

    /// The rounds, in their order.
    pub fn rounds(&self) -> BTreeSet<String> {
        self.rows.iter().map(|row| row.round.clone()).collect()
    }
}

fn rounds(folder: &Path) -> Result<BTreeSet<String>> {
    let mut rounds = BTreeSet::new();
    for entry in
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?
    {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() && !OTHERS.contains(&name.as_str()) {
            rounds.insert(name);
        }
    }
    Ok(rounds)
}

fn published(folder: &Path) -> Result<BTreeMap<String, Published>> {
    let path = folder.join("published.csv");
    let mut all = BTreeMap::new();
    if !path.exists() {
        return Ok(all);
    }
    for row in csv::Reader::from_path(&path)?.deserialize() {
        let row: Published = row.with_context(|| path.display().to_string())?;
        ensure!(row.published > 0.0, "{}: it is no value", row.id);
        let id = row.id.clone();
        ensure!(
            all.insert(id.clone(), row).is_none(),
            "{id} stands there twice"
        );
    }
    Ok(all)
}

fn sealed(folder: &Path) -> Result<BTreeMap<String, String>> {
    let path = folder.join("seals.csv");
    let mut seals = BTreeMap::new();
    if !path.exists() {
        return Ok(seals);
    }
    for row in csv::Reader::from_path(&path)?.records() {
        let row = row?;
        seals.insert(row[0].to_owned(), row[1].to_owned());
    }
    Ok(seals)
}
