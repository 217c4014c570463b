//! Reads suite files, and checks all that their schema cannot.

use super::files::Kind;
use super::keys::{
    ALL_JOBS, ActKeys, FamilyKeys, OneOrMore, PortKey, ProcedureKeys, RunsKey, SCHEMA, Slug,
    StepKeys, SuiteFile, unknown,
};
use super::{
    Act, Family, Files, Latencies, Procedure, Runs, Series, Source, Span, Step, Suite, Work,
};
use crate::figures::source_title;
use ftlab_host::Port;
use ftlab_play::load::Load;
use ftlab_states::State;
use ftlab_workload::script::{ScriptError, Text};
use ftlab_workload::{JobSpec, PatternKind};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use toml::{Spanned, Table};

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
        // Procedures go first, as the steps of families refer to them by name.
        for keys in &parsed.procedure {
            let procedure = reader.procedure(keys)?;
            reader.procedures.push(Arc::new(procedure));
        }
        if parsed.family.is_empty() {
            let why = "a suite needs a [[family]]";
            return Err(reader.text.error(&parsed.schema, why));
        }
        let families = parsed.family.iter().zip(1..);
        let families = families.map(|(keys, n)| reader.family(keys, n).map(Arc::new));
        Ok(Suite {
            families: families.collect::<Result<_, _>>()?,
            drives: parsed.drives.clone(),
            more_drives: parsed.more_drives.clone(),
            shrink_to: parsed.shrink_to.map(|bytes| bytes.0),
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
        match ftlab_base::guarded(|| Suite::read(&text, &name, &mut files)) {
            Ok(suite) => suite.map_err(|error| error.to_string()),
            Err(panic) => Err(format!(
                "cannot read the suite {name}: {panic}; please report it, with the file"
            )),
        }
    }
}

fn source(text: &Text<'_>, parsed: &SuiteFile) -> Result<Source, ScriptError> {
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
    Ok(Source { key, title })
}

/// A suite that is being read.
struct Reader<'a> {
    text: Text<'a>,
    parsed: &'a SuiteFile,
    source: Arc<Source>,
    files: &'a mut Files,
    procedures: Vec<Arc<Procedure>>,
    /// The slugs in use, each with the word for its kind: only things of one kind need different ones.
    slugs: BTreeSet<(&'static str, String)>,
}

impl Reader<'_> {
    fn load<T>(&mut self, kind: Kind, name: &str, at: &Spanned<T>) -> Result<Load, ScriptError> {
        let load = self.files.load(kind, name);
        load.map_err(|why| self.text.error(at, why))
    }

    /// A slug that no other of `what` has.
    fn slug(&mut self, what: &'static str, at: &Spanned<Slug>) -> Result<String, ScriptError> {
        let Slug(slug) = at.get_ref().clone();
        if !self.slugs.insert((what, slug.clone())) {
            return Err(self
                .text
                .error(at, format!("two {what} are called `{slug}`")));
        }
        Ok(slug)
    }

    /// The values of a list, in which none may stand twice: the runs of equal values would have one name.
    fn once<T: Copy + PartialEq>(&self, list: &[Spanned<T>]) -> Result<Vec<T>, ScriptError> {
        let mut values = Vec::new();
        for at in list {
            if values.contains(at.get_ref()) {
                let why = format!("{} stands here twice", &self.text.text[at.span()]);
                return Err(self.text.error(at, why));
            }
            values.push(*at.get_ref());
        }
        Ok(values)
    }

    fn procedure(&mut self, keys: &ProcedureKeys) -> Result<Procedure, ScriptError> {
        let slug = self.slug("procedures", &keys.slug)?;
        let span = match (&keys.spare_percent, &keys.used_percent) {
            (None, None) => Span::Whole,
            (Some(percent), None) if (1..=99).contains(percent.get_ref()) => {
                Span::SparePercent(*percent.get_ref())
            }
            (None, Some(percent)) if (1..=99).contains(percent.get_ref()) => {
                Span::UsedPercent(*percent.get_ref())
            }
            (Some(percent), None) => {
                let why = "spare_percent is 1 to 99: a share of the drive's flash";
                return Err(self.text.error(percent, why));
            }
            (None, Some(percent)) => {
                let why =
                    "used_percent is 1 to 99: a share of the drive; leave it out for all of it";
                return Err(self.text.error(percent, why));
            }
            (Some(_), Some(percent)) => {
                let why = "spare_percent and used_percent both say how much is used: leave out one";
                return Err(self.text.error(percent, why));
            }
        };
        let acts = keys.acts.get_ref().iter().map(|act| self.act(act));
        let acts: Vec<Act> = acts.collect::<Result<_, _>>()?;
        let late = |(n, act): (usize, &Act)| n > 0 && matches!(act, Act::Reach(_));
        if acts.iter().enumerate().any(late) {
            let why = "a drive reaches a state from new: let that be the first act";
            return Err(self.text.error(&keys.acts, why));
        }
        let measured = acts.iter().filter_map(|act| match act {
            Act::Measure(job, state) => Some((job.name(), state)),
            _ => None,
        });
        if measured.clone().next().is_none() {
            let why = "a procedure measures something: give it an act with do = \"measure\"";
            return Err(self.text.error(&keys.acts, why));
        }
        // Runs of a procedure are named by job and state, so the two together must be unique.
        if measured.clone().collect::<BTreeSet<_>>().len() < measured.count() {
            let why = "a job is measured twice in a state of one name: name the states differently";
            return Err(self.text.error(&keys.acts, why));
        }
        Ok(Procedure { slug, span, acts })
    }

    fn act(&mut self, at: &Spanned<Table>) -> Result<Act, ScriptError> {
        let keys = at.get_ref().clone().try_into();
        let keys: ActKeys = keys.map_err(|error| self.text.error(at, error.message()))?;
        Ok(match keys {
            ActKeys::SecureErase {} => Act::SecureErase,
            ActKeys::Fill { from, data } => {
                Act::FillFrom(from.map_or(0, |from| from.0), data.content())
            }
            ActKeys::Trim { to } => Act::Trim(to.map(|to| to.0)),
            ActKeys::Measure { job, state } => {
                Act::Measure(self.load(Kind::Job, &job, at)?, state.0)
            }
            ActKeys::Reach { state } => Act::Reach(state),
            ActKeys::Overwrite { job, times } => {
                let job = self.load(Kind::Job, &job, at)?;
                let writes = |spec: &JobSpec| spec.pattern.kind == PatternKind::Write;
                if !job
                    .job_file()
                    .is_some_and(|file| file.jobs.iter().all(writes))
                {
                    let why = "what overwrites is a file of jobs that write alone";
                    return Err(self.text.error(at, why));
                }
                Act::Overwrite(job, times)
            }
            ActKeys::Torture { job } => {
                let job = self.load(Kind::Job, &job, at)?;
                // It is cut into minutes, so it is one job that its time ends.
                let file = job.job_file();
                if !file.is_some_and(
                    |file| matches!(&file.jobs[..], [job] if job.length.runtime.is_some()),
                ) {
                    let why = "a torture is a file of one job with a runtime";
                    return Err(self.text.error(at, why));
                }
                Act::Torture(job)
            }
        })
    }

    /// The family, the `n`th of the suite.
    fn family(&mut self, keys: &FamilyKeys, n: usize) -> Result<Family, ScriptError> {
        let slug = self.slug("families", &keys.slug)?;
        let states = keys.states.as_ref().or(self.parsed.states.as_ref());
        let states: Vec<State> = self.once(states.map_or(&[] as &[_], Vec::as_slice))?;
        let alone = (keys.step.len() == 1).then_some(&keys.slug);
        let steps = keys.step.iter();
        let steps = steps.map(|step| self.step(step, alone).map(Arc::new));
        let steps: Vec<Arc<Step>> = steps.collect::<Result<_, _>>()?;
        let Some(first) = steps.first() else {
            let why = "a family needs a [[family.step]], with a job, a script, a trace or a fact";
            return Err(self.text.error(&keys.slug, why));
        };
        let runs_load = |step: &Arc<Step>| matches!(step.work, Work::Loads { .. });
        if states.is_empty() && steps.iter().any(runs_load) {
            let why = "its loads need a state to begin in: write states = [\"filled\"] or others";
            return Err(self.text.error(&keys.slug, why));
        }
        // The machine that is named, or that of the first load.
        let named = keys.testbed.as_ref().or(self.parsed.testbed.as_ref());
        let of_load = match &first.work {
            Work::Loads { loads, .. } => loads[0].testbed(),
            Work::Within(..) | Work::Fact(_) => None,
        };
        let testbed = named.map(|machine| machine.0.as_str()).or(of_load);
        Ok(Family {
            slug,
            method: keys.code.clone().unwrap_or_else(|| n.to_string()),
            title: keys.title.clone(),
            text: keys.text.clone(),
            assumes: keys.assumes.iter().map(|keys| keys.0.clone()).collect(),
            chart: keys.chart,
            metric: keys.metric.clone(),
            unit: keys.unit.clone(),
            beside: keys.beside.clone(),
            testbed: testbed.map(str::to_owned),
            runs: self.runs(keys)?,
            states,
            score: keys.score.clone(),
            steps,
            source: Arc::clone(&self.source),
        })
    }

    fn runs(&self, keys: &FamilyKeys) -> Result<Runs, ScriptError> {
        let runs = keys.runs.or(self.parsed.runs).unwrap_or_default();
        match (&keys.drives, runs) {
            (None, RunsKey::ByDefault) => Ok(Runs::ByDefault),
            (None, RunsKey::WithAll) => Ok(Runs::WithAll),
            (Some(drives), RunsKey::WithAll) => Ok(Runs::WithAllOn(drives.get_ref().clone())),
            (Some(drives), RunsKey::ByDefault) => Ok(Runs::ByDefaultOn(drives.get_ref().clone())),
        }
    }

    fn step(
        &mut self,
        at: &Spanned<StepKeys>,
        alone: Option<&Spanned<Slug>>,
    ) -> Result<Step, ScriptError> {
        let keys = at.get_ref();
        // The only step of a family may leave out its slug: it then has the family's.
        let Some(named) = keys.slug.as_ref().or(alone) else {
            return Err(self.text.error(at, "one of several steps needs a slug"));
        };
        let slug = self.slug("steps", named)?;
        let work = self.work(at)?;
        if let Some(ports) = keys.ports.first()
            && !matches!(work, Work::Loads { .. })
        {
            return Err(self.text.error(ports, "only a load runs on ports"));
        }
        Ok(Step {
            slug,
            aliases: keys.aliases.clone(),
            label: keys.label.clone(),
            work,
            series: match (keys.drops, keys.plateaus) {
                (false, false) => Series::Unread,
                (true, false) => Series::Drops,
                (false, true) => Series::Plateaus,
                (true, true) => {
                    let why =
                        "drops are read off a course over time, plateaus off a fill: leave out one";
                    return Err(self.text.error(at, why));
                }
            },
            latencies: self.latencies(keys)?,
            writes_a_page: keys.writes_a_page,
            roles: keys.roles.clone(),
        })
    }

    fn latencies(&mut self, keys: &StepKeys) -> Result<Latencies, ScriptError> {
        let Some(of) = &keys.latencies_of else {
            return Ok(Latencies::Unread);
        };
        if of.get_ref() == ALL_JOBS {
            return Ok(Latencies::OfAll);
        }
        let jobs = keys
            .job
            .as_ref()
            .and_then(|job| job.get_ref().names().first());
        let load = jobs
            .map(|name| self.load(Kind::Job, name, of))
            .transpose()?;
        let jobs = load.as_ref().and_then(Load::job_file);
        let names = jobs.iter().flat_map(|file| &file.jobs);
        let names = names.map(|spec| spec.name.as_str()).chain([ALL_JOBS]);
        if !names.clone().any(|name| name == of.get_ref()) {
            let why = format!("there is no job {}", unknown(of.get_ref(), names));
            return Err(self.text.error(of, why));
        }
        Ok(Latencies::Of(of.get_ref().clone()))
    }

    fn work(&mut self, at: &Spanned<StepKeys>) -> Result<Work, ScriptError> {
        let keys = at.get_ref();
        let loads = match (&keys.job, &keys.script, &keys.trace, keys.fact) {
            (Some(jobs), None, None, None) => self.jobs(jobs)?,
            (None, Some(script), None, None) => {
                vec![self.load(Kind::Script, script.get_ref(), script)?]
            }
            (None, None, Some(trace), None) => {
                vec![self.load(Kind::Trace, trace.get_ref(), trace)?]
            }
            (None, None, None, Some(fact)) => return Ok(Work::Fact(fact)),
            _ => {
                let why = "a step does one thing: give it one of job, script, trace and fact";
                return Err(self.text.error(at, why));
            }
        };
        if let Some(procedure) = &keys.procedure {
            return self.within(procedure, &loads);
        }
        let ports = self
            .once(&keys.ports)?
            .into_iter()
            .map(|PortKey(port)| port);
        let mut ports: Vec<Option<Port>> = ports.collect();
        if ports.is_empty() {
            ports.push(None);
        }
        Ok(Work::Loads { loads, ports })
    }

    fn jobs(&mut self, jobs: &Spanned<OneOrMore>) -> Result<Vec<Load>, ScriptError> {
        let names = jobs.get_ref().names().iter();
        let loads: Result<Vec<Load>, _> =
            names.map(|name| self.load(Kind::Job, name, jobs)).collect();
        let loads = loads?;
        let kinds: BTreeSet<&str> = loads.iter().map(Load::data).collect();
        if loads.is_empty() || kinds.len() < loads.len() {
            let why = "several jobs of a step are the same requests, each with data that compress in another way; \
                       give other requests a step of their own";
            return Err(self.text.error(jobs, why));
        }
        Ok(loads)
    }

    fn within(&self, name: &Spanned<String>, loads: &[Load]) -> Result<Work, ScriptError> {
        let named = |procedure: &&Arc<Procedure>| procedure.slug == *name.get_ref();
        let Some(procedure) = self.procedures.iter().find(named) else {
            let names = self.procedures.iter().map(|p| p.slug.as_str());
            let why = format!("there is no procedure {}", unknown(name.get_ref(), names));
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
}
