//! Reads suite files, and checks all that their schema cannot.

use super::files::Kind;
use super::keys::{
    ActKey, ActKeys, DataKey, FactKey, FamilyKeys, ProcedureKeys, RunsKey, SCHEMA, ScoreKeys,
    StepKeys, SuiteFile,
};
use super::select::alike;
use super::{
    Act, Counting, Fact, Family, Files, Procedure, Runs, Score, Series, Source, Span, Step, Suite,
    Work,
};
use crate::figures::source_title;
use ftlab_base::Content;
use ftlab_host::{Port, Testbed};
use ftlab_play::load::Load;
use ftlab_play::states::State;
use ftlab_workload::script::{ScriptError, Text};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use toml::Spanned;

/// The machine of families that name none and whose loads name none.
pub const DEFAULT_TESTBED: &str = "anandtech-2008";

/// The word for the fastest port of the machine.
const FASTEST: &str = "fastest";

impl Suite {
    /// Reads a suite. `file` names it in errors; its loads come from `files`.
    ///
    /// # Errors
    /// When the text is no TOML, a key is unknown or missing, a value impossible, or a load cannot be read.
    pub fn read(text: &str, file: &str, files: &mut Files) -> Result<Suite, ScriptError> {
        let text = Text { file, text };
        let parsed: SuiteFile = text.parse()?;
        if *parsed.schema.get_ref() != SCHEMA {
            return Err(text.error(&parsed.schema, format!("write schema = {SCHEMA}")));
        }
        let source = Arc::new(source(&text, &parsed)?);
        let mut reader = Reader {
            text,
            parsed: &parsed,
            source,
            files,
            procedures: Vec::new(),
            slugs: BTreeSet::new(),
        };
        for keys in &parsed.procedure {
            let procedure = reader.procedure(keys)?;
            reader.procedures.push(Arc::new(procedure));
        }
        let mut families: Vec<Arc<Family>> = Vec::new();
        for (n, keys) in parsed.family.iter().enumerate() {
            let slug = keys.slug.get_ref();
            if families.iter().any(|family| family.slug == *slug) {
                let why = format!("two families are called `{slug}`");
                return Err(reader.text.error(&keys.slug, why));
            }
            families.push(Arc::new(reader.family(keys, n)?));
        }
        if families.is_empty() {
            let why = "a suite needs a [[family]]";
            return Err(reader.text.error(&parsed.schema, why));
        }
        Ok(Suite {
            drives: parsed.drives.clone(),
            families,
        })
    }

    /// Reads the suite of that file; its loads lie beside it, or come with ftlab.
    ///
    /// # Errors
    /// As [`Suite::read`], and when the file cannot be read.
    pub fn open(path: &Path) -> Result<Suite, String> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| format!("cannot read the suite {name}: {error}"))?;
        let mut files = Files::beside(path.parent().unwrap_or(Path::new("")));
        Suite::read(&text, &name, &mut files).map_err(|error| error.to_string())
    }
}

fn source(text: &Text<'_>, parsed: &SuiteFile) -> Result<Source, ScriptError> {
    let megabyte = parsed.megabyte.as_ref();
    let spare = parsed.spare.as_ref();
    let (key, title) = match (&parsed.source, &parsed.title) {
        (Some(source), None) => {
            let title = source_title(source.get_ref());
            if title == *source.get_ref() {
                let why = format!(
                    "no source of published figures is called `{title}`: give a suite of your own a title \
                     instead"
                );
                return Err(text.error(source, why));
            }
            (source.get_ref().clone(), title)
        }
        (None, Some(title)) => (String::new(), title.clone()),
        (Some(source), Some(_)) => {
            let why = "a source has its title in the table of sources: leave out source or title";
            return Err(text.error(source, why));
        }
        (None, None) => {
            let why = "a suite needs a title, such as title = \"My tests\"";
            return Err(text.error(&parsed.schema, why));
        }
    };
    if key.is_empty() {
        let why = "it says how published figures count, and a suite without a source has none: leave it out";
        if let Some(at) = megabyte {
            return Err(text.error(at, why));
        }
        if let Some(at) = spare {
            return Err(text.error(at, why));
        }
    }
    Ok(Source {
        key,
        title,
        counting: Counting {
            megabyte: megabyte.map(|at| *at.get_ref()).unwrap_or_default(),
            spare: spare.map(|at| *at.get_ref()).unwrap_or_default(),
        },
    })
}

/// A suite that is being read.
struct Reader<'a> {
    text: Text<'a>,
    parsed: &'a SuiteFile,
    source: Arc<Source>,
    files: &'a mut Files,
    procedures: Vec<Arc<Procedure>>,
    /// The slugs of the steps so far.
    slugs: BTreeSet<String>,
}

impl Reader<'_> {
    fn load(&mut self, kind: Kind, name: &Spanned<String>) -> Result<Load, ScriptError> {
        let load = self.files.load(kind, name.get_ref());
        load.map_err(|why| self.text.error(name, why))
    }

    fn bytes(&self, size: Option<&Spanned<String>>) -> Result<Option<u64>, ScriptError> {
        let Some(size) = size else {
            return Ok(None);
        };
        let bytes = ftlab_workload::bytes(size.get_ref()).map_err(|allowed| {
            let why = format!("`{}` is no size: write {allowed}", size.get_ref());
            self.text.error(size, why)
        })?;
        Ok(Some(bytes))
    }

    /// Refuses what stands twice in a list: its runs would have one name.
    fn once(&self, names: &[Spanned<String>]) -> Result<(), ScriptError> {
        let is_again = |n: &usize| {
            names[..*n]
                .iter()
                .any(|name| name.get_ref() == names[*n].get_ref())
        };
        match (0..names.len()).find(is_again) {
            None => Ok(()),
            Some(n) => {
                let why = format!("`{}` stands here twice", names[n].get_ref());
                Err(self.text.error(&names[n], why))
            }
        }
    }

    fn state(&self, name: &Spanned<String>) -> Result<State, ScriptError> {
        State::named(name.get_ref()).ok_or_else(|| {
            let names = State::ALL.map(State::name);
            let why = format!("there is no state {}", unknown(name.get_ref(), &names));
            self.text.error(name, why)
        })
    }

    fn procedure(&mut self, keys: &ProcedureKeys) -> Result<Procedure, ScriptError> {
        let slug = self.slug(&keys.slug)?;
        if self.procedures.iter().any(|other| other.slug == slug) {
            let why = format!("two procedures are called `{slug}`");
            return Err(self.text.error(&keys.slug, why));
        }
        let span = match &keys.spare_percent {
            None => Span::Whole,
            Some(percent) if (1..=99).contains(percent.get_ref()) => {
                Span::SparePercent(*percent.get_ref())
            }
            Some(percent) => {
                let why = "spare_percent is 1 to 99: a share of the drive's flash";
                return Err(self.text.error(percent, why));
            }
        };
        let acts = keys.acts.get_ref().iter().map(|act| self.act(act));
        let acts: Vec<Act> = acts.collect::<Result<_, _>>()?;
        let measured = |act: &Act| match act {
            Act::Measure(job, state) => Some((job.name().to_owned(), state.clone())),
            _ => None,
        };
        let measured: Vec<(String, String)> = acts.iter().filter_map(measured).collect();
        if measured.is_empty() {
            let why = "a procedure measures something: give it an act with do = \"measure\"";
            return Err(self.text.error(&keys.acts, why));
        }
        if measured.iter().collect::<BTreeSet<_>>().len() < measured.len() {
            let why = "a job is measured twice in a state of one name: name the states differently";
            return Err(self.text.error(&keys.acts, why));
        }
        Ok(Procedure { slug, span, acts })
    }

    fn act(&mut self, act: &Spanned<ActKeys>) -> Result<Act, ScriptError> {
        let keys = act.get_ref();
        Ok(match keys.what {
            ActKey::SecureErase => {
                self.takes(act, &[])?;
                Act::SecureErase
            }
            ActKey::Fill => {
                self.takes(act, &["from", "data"])?;
                let data = match keys.data.as_ref().map(|data| *data.get_ref()) {
                    None | Some(DataKey::Random) => Content::RANDOM,
                    Some(DataKey::Zeros) => Content::ZEROS,
                };
                Act::FillFrom(self.bytes(keys.from.as_ref())?.unwrap_or(0), data)
            }
            ActKey::Trim => {
                self.takes(act, &["to"])?;
                Act::Trim(self.bytes(keys.to.as_ref())?)
            }
            ActKey::Measure => {
                self.takes(act, &["job", "state"])?;
                let job = self.needed(act, "job", keys.job.as_ref())?;
                let state = self.slug(self.needed(act, "state", keys.state.as_ref())?)?;
                Act::Measure(self.load(Kind::Job, job)?, state)
            }
            ActKey::Torture => {
                self.takes(act, &["job"])?;
                let job = self.needed(act, "job", keys.job.as_ref())?;
                let job = self.load(Kind::Job, job)?;
                self.tortures(act, &job)?;
                Act::Torture(job)
            }
        })
    }

    /// Refuses keys that mean nothing to an act.
    fn takes(&self, act: &Spanned<ActKeys>, takes: &[&str]) -> Result<(), ScriptError> {
        let keys = act.get_ref();
        let given = [
            ("from", keys.from.is_some()),
            ("data", keys.data.is_some()),
            ("to", keys.to.is_some()),
            ("job", keys.job.is_some()),
            ("state", keys.state.is_some()),
        ];
        let surplus = |(key, is_given): &(&str, bool)| *is_given && !takes.contains(key);
        match given.into_iter().find(surplus) {
            None => Ok(()),
            Some((key, _)) => {
                let why = format!("`{key}` means nothing to this act: leave it out");
                Err(self.text.error(act, why))
            }
        }
    }

    fn needed<'k, T>(
        &self,
        act: &Spanned<ActKeys>,
        key: &str,
        given: Option<&'k T>,
    ) -> Result<&'k T, ScriptError> {
        given.ok_or_else(|| self.text.error(act, format!("this act needs `{key}`")))
    }

    /// A torture is cut into minutes, so it is one job that its time ends.
    fn tortures(&self, at: &Spanned<ActKeys>, job: &Load) -> Result<(), ScriptError> {
        let is_one_of_time = job
            .job_file()
            .is_some_and(|file| matches!(file.jobs.as_slice(), [job] if job.runtime.is_some()));
        if is_one_of_time {
            return Ok(());
        }
        let why = "a torture is a file of one job with a runtime";
        Err(self.text.error(at, why))
    }

    fn slug(&self, slug: &Spanned<String>) -> Result<String, ScriptError> {
        let is_plain =
            |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
        let given = slug.get_ref();
        if given.is_empty() || !given.chars().all(is_plain) {
            let why = format!(
                "`{given}` is no slug: it becomes part of names of runs, so write small letters, digits, - and ."
            );
            return Err(self.text.error(slug, why));
        }
        Ok(given.clone())
    }

    fn family(&mut self, keys: &FamilyKeys, n: usize) -> Result<Family, ScriptError> {
        let slug = self.slug(&keys.slug)?;
        let states = keys.states.as_ref().or(self.parsed.states.as_ref());
        let states = states.map_or(&[] as &[_], Vec::as_slice);
        self.once(states)?;
        let states = states.iter().map(|name| self.state(name));
        let states: Vec<State> = states.collect::<Result<_, _>>()?;
        let alone = (keys.step.len() == 1).then_some(&keys.slug);
        let mut steps: Vec<Arc<Step>> = Vec::new();
        for step in &keys.step {
            steps.push(Arc::new(self.step(step, alone)?));
        }
        let Some(first) = steps.first() else {
            let why = "a family needs a [[family.step]], with a job, a script, a trace or a fact";
            return Err(self.text.error(&keys.slug, why));
        };
        let runs_load = |step: &Arc<Step>| matches!(step.work, Work::Loads { .. });
        if states.is_empty() && steps.iter().any(runs_load) {
            let why = "its loads need a state to begin in: write states = [\"filled\"] or others";
            return Err(self.text.error(&keys.slug, why));
        }
        let testbed = self.testbed(keys, first)?;
        let method = match &keys.code {
            Some(code) => code.get_ref().clone(),
            None => format!("{}", n + 1),
        };
        Ok(Family {
            slug,
            method,
            title: keys.title.clone(),
            text: keys.text.clone(),
            assumes: keys.assumes.clone(),
            chart: keys.chart,
            metric: keys.metric.get_ref().clone(),
            unit: keys.unit.clone(),
            testbed,
            runs: self.runs(keys)?,
            states,
            score: (keys.score.as_ref())
                .map(|score| self.score(score))
                .transpose()?,
            steps,
            source: Arc::clone(&self.source),
        })
    }

    /// The machine that is named, or that of the first load.
    fn testbed(&self, keys: &FamilyKeys, first: &Step) -> Result<String, ScriptError> {
        let Some(given) = keys.testbed.as_ref().or(self.parsed.testbed.as_ref()) else {
            let of_load = match &first.work {
                Work::Loads { loads, .. } => loads[0].testbed(),
                Work::Within(..) | Work::Fact(_) => None,
            };
            return Ok(of_load.unwrap_or(DEFAULT_TESTBED).to_owned());
        };
        let known = Testbed::load(given.get_ref());
        known.map_err(|error| self.text.error(given, error.to_string()))?;
        Ok(given.get_ref().clone())
    }

    fn runs(&self, keys: &FamilyKeys) -> Result<Runs, ScriptError> {
        let runs = keys.runs.or(self.parsed.runs).unwrap_or_default();
        let Some(drives) = &keys.drives else {
            return Ok(match runs {
                RunsKey::ByDefault => Runs::ByDefault,
                RunsKey::WithAll => Runs::WithAll,
            });
        };
        if let Some(first) = drives.first()
            && runs == RunsKey::ByDefault
        {
            let why = "drives are those on which a test of every review is left to --all: write runs = \"with-all\"";
            return Err(self.text.error(first, why));
        }
        let slugs: Vec<String> = drives.iter().map(|slug| slug.get_ref().clone()).collect();
        Ok(Runs::WithAllOn(slugs))
    }

    fn score(&self, keys: &Spanned<ScoreKeys>) -> Result<Score, ScriptError> {
        let ScoreKeys { points, per, over } = keys.get_ref();
        if !points.is_finite() || *points <= 0.0 {
            return Err(self.text.error(keys, "points is a number above 0"));
        }
        match (per, over) {
            (Some(metric), None) => Ok(Score::Per(*points, metric.clone())),
            (None, Some(metric)) => Ok(Score::Over(*points, metric.clone())),
            _ => {
                let why = "a score is points per a metric, or points over one: write per or over";
                Err(self.text.error(keys, why))
            }
        }
    }

    fn step(
        &mut self,
        at: &Spanned<StepKeys>,
        alone: Option<&Spanned<String>>,
    ) -> Result<Step, ScriptError> {
        let keys = at.get_ref();
        let Some(named) = keys.slug.as_ref().or(alone) else {
            return Err(self.text.error(at, "one of several steps needs a slug"));
        };
        let slug = self.slug(named)?;
        if !self.slugs.insert(slug.clone()) {
            let why = format!("two steps are called `{slug}`");
            return Err(self.text.error(named, why));
        }
        let work = self.work(at)?;
        if let Some(ports) = keys.ports.as_ref().and_then(|ports| ports.first())
            && !matches!(work, Work::Loads { .. })
        {
            return Err(self.text.error(ports, "only a load runs on ports"));
        }
        Ok(Step {
            slug,
            aliases: keys.aliases.clone(),
            label: keys.label.clone(),
            work,
            series: match keys.drops {
                true => Series::Drops,
                false => Series::Unread,
            },
            roles: keys.roles.clone(),
        })
    }

    fn work(&mut self, at: &Spanned<StepKeys>) -> Result<Work, ScriptError> {
        let keys = at.get_ref();
        let works = [
            keys.job.is_some(),
            keys.script.is_some(),
            keys.trace.is_some(),
            keys.fact.is_some(),
        ];
        if works.iter().filter(|is_given| **is_given).count() != 1 {
            let why = "a step does one thing: give it one of job, script, trace and fact";
            return Err(self.text.error(at, why));
        }
        if let Some(days) = &keys.gb_per_day
            && !matches!(&keys.fact, Some(fact) if *fact.get_ref() == FactKey::Endurance)
        {
            let why = "gb_per_day belongs to fact = \"endurance\"";
            return Err(self.text.error(days, why));
        }
        if let Some(fact) = &keys.fact {
            return Ok(Work::Fact(self.fact(fact, keys)?));
        }
        let mut loads = Vec::new();
        if let Some(jobs) = &keys.job {
            for name in jobs.get_ref().names() {
                let load = self.files.load(Kind::Job, name);
                loads.push(load.map_err(|why| self.text.error(jobs, why))?);
            }
            let kinds: BTreeSet<&str> = loads.iter().map(Load::data).collect();
            if loads.is_empty() || kinds.len() < loads.len() {
                let why = "several jobs of a step are the same requests, each with data that compress in another \
                           way; give other requests a step of their own";
                return Err(self.text.error(jobs, why));
            }
        }
        if let Some(script) = &keys.script {
            loads.push(self.load(Kind::Script, script)?);
        }
        if let Some(trace) = &keys.trace {
            loads.push(self.load(Kind::Trace, trace)?);
        }
        match &keys.procedure {
            Some(procedure) => self.within(procedure, &loads),
            None => Ok(Work::Loads {
                loads,
                ports: self.ports(keys)?,
            }),
        }
    }

    fn within(&self, name: &Spanned<String>, loads: &[Load]) -> Result<Work, ScriptError> {
        let named = |procedure: &&Arc<Procedure>| procedure.slug == *name.get_ref();
        let Some(procedure) = self.procedures.iter().find(named) else {
            let names: Vec<&str> = self.procedures.iter().map(|p| p.slug.as_str()).collect();
            let why = format!("there is no procedure {}", unknown(name.get_ref(), &names));
            return Err(self.text.error(name, why));
        };
        match loads {
            [job] if procedure.states_of(job).next().is_some() => {
                Ok(Work::Within(Arc::clone(procedure), job.clone()))
            }
            _ => {
                let why = format!(
                    "the procedure `{}` does not measure that: give the step one job that it measures",
                    name.get_ref()
                );
                Err(self.text.error(name, why))
            }
        }
    }

    fn ports(&self, keys: &StepKeys) -> Result<Vec<Option<Port>>, ScriptError> {
        let Some(ports) = keys.ports.as_ref().filter(|ports| !ports.is_empty()) else {
            return Ok(vec![None]);
        };
        self.once(ports)?;
        let port = |name: &Spanned<String>| {
            if name.get_ref() == FASTEST {
                return Ok(None);
            }
            Port::named(name.get_ref()).map(Some).ok_or_else(|| {
                let names: Vec<&str> = (Port::ALL.iter().map(|port| port.name()))
                    .chain([FASTEST])
                    .collect();
                let why = format!("there is no port {}", unknown(name.get_ref(), &names));
                self.text.error(name, why)
            })
        };
        ports.iter().map(port).collect()
    }

    fn fact(&self, fact: &Spanned<FactKey>, keys: &StepKeys) -> Result<Fact, ScriptError> {
        Ok(match (fact.get_ref(), &keys.gb_per_day) {
            (FactKey::SpareArea, _) => Fact::SpareArea,
            (FactKey::ClientWrites, _) => Fact::ClientWrites,
            (FactKey::EnduranceInTheory, _) => Fact::EnduranceInTheory,
            (FactKey::Endurance, Some(days)) if *days.get_ref() > 0 => Fact::Endurance {
                gb_per_day: *days.get_ref(),
            },
            (FactKey::Endurance, _) => {
                let why = "endurance needs gb_per_day, the GB that are written on a day: 1 or more";
                return Err(self.text.error(fact, why));
            }
        })
    }
}

/// A name that is none of these, with the nearest, or all of them.
fn unknown(name: &str, names: &[&str]) -> String {
    match alike(name, names.iter().copied()).as_slice() {
        [] => format!("`{name}`; there are: {}", names.join(", ")),
        near => format!("`{name}`; did you mean {}?", near.join(" or ")),
    }
}
