//! The actions of the control socket, by method and path.

use super::http::{Answer, Request};
use super::report::Report;
use super::{Scope, metrics};
use crate::engine::{Engine, IoRequest, Operation, PowerOff, Stopped};
use crate::faults::{MS_MAX, Rule};
use ftlab_image::{CutReport, FlashFault, snapshots};
use ftlab_nbd::NbdError;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;
use std::sync::mpsc;
use std::time::Duration;

/// The longest rest, a hundred years, and how cold and warm a drive may lie: from nothing to what melts its solder.
const HOURS_MAX: f64 = 876_600.0;
const CELSIUS: RangeInclusive<f64> = -273.15..=220.0;

const JSON: &str = "application/json";
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Storage of a drive without power, during which its data age.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rest {
    /// Hours that the data age, at least 0.
    pub hours: f64,
    /// Ambient temperature, in degrees Celsius.
    pub celsius: f64,
}

/// Request to cut the power of a drive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PowerCutRequest {
    /// Seed of the losses; the drive's own, if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Time for which the drive stays off at least, in milliseconds.
    #[serde(default)]
    pub off_ms: u64,
}

/// Reply to a [`PowerCutRequest`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PowerCutReply {
    /// The loss, if the drive has a volatile buffer.
    pub cut: Option<CutReport>,
}

/// A fault that goes on from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultAdded {
    /// Its number, to end it by.
    pub number: u32,
}

/// A note in the crash log that marks how far a workload has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mark {
    /// Text that checkers are given.
    pub text: String,
}

/// Request to take a drive back to an earlier state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reset {
    /// A snapshot; the base of its image, if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// A snapshot that is to be made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewSnapshot {
    /// Name of the snapshot.
    pub name: String,
}

/// Request to end faults.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultClear {
    /// One; all of them, if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
}

/// True if the action at a path changes what the drive holds.
pub fn changes_the_drive(url: &str) -> bool {
    ACTIONS
        .iter()
        .any(|action| action.url == url && action.changes_the_drive)
}

/// A method and a path, and the function that they call.
struct Action {
    method: &'static str,
    url: &'static str,
    changes_the_drive: bool,
    act: fn(&Engine, &str) -> Result<Answer, Answer>,
}

impl Action {
    const fn get(url: &'static str, act: fn(&Engine, &str) -> Result<Answer, Answer>) -> Action {
        Action {
            method: "GET",
            url,
            changes_the_drive: false,
            act,
        }
    }

    const fn post(url: &'static str, act: fn(&Engine, &str) -> Result<Answer, Answer>) -> Action {
        Action {
            method: "POST",
            ..Action::get(url, act)
        }
    }

    const fn change(url: &'static str, act: fn(&Engine, &str) -> Result<Answer, Answer>) -> Action {
        Action {
            changes_the_drive: true,
            ..Action::post(url, act)
        }
    }
}

static ACTIONS: [Action; 16] = [
    Action::get("/statistics", |engine, body| {
        no_body(body)?;
        Ok(json(&Report::of(engine)?.0))
    }),
    Action::get("/metrics", |engine, body| {
        no_body(body)?;
        let (report, counted) = Report::of(engine)?;
        Ok(good(OPEN_METRICS, metrics::text(report, counted)))
    }),
    Action::change("/erase", |engine, body| {
        if object::<Scope>(body)? != Scope::ALL {
            let why = "an erase is of the whole drive: say {\"all\": true}";
            return Err(Answer::wrong(400, why));
        }
        done(engine.quietly(|drive| drive.secure_erase())?)
    }),
    Action::change("/trim", |engine, body| done(trim(engine, &object(body)?))),
    Action::change("/fault", |engine, body| {
        let fault: FlashFault = object(body)?;
        done(engine.quietly(move |drive| drive.inject(fault))?)
    }),
    Action::get("/faults", |engine, body| {
        no_body(body)?;
        Ok(json(&engine.faults().list()))
    }),
    Action::post("/fault-rule", |engine, body| {
        let rule: Rule = object(body)?;
        let number = engine.faults().add(rule);
        let number = number.map_err(|why| Answer::wrong(400, why))?;
        Ok(json(&FaultAdded { number }))
    }),
    Action::post("/fault-clear", |engine, body| {
        let FaultClear { number } = object(body)?;
        let ended = engine.faults().clear(number);
        match number.filter(|_| ended == 0) {
            None => Ok(nothing_to_say()),
            Some(number) => {
                let why = format!("there is no fault {number}: `ftlab fault IMAGE list` has them");
                Err(Answer::wrong(409, why))
            }
        }
    }),
    Action::change("/power-cut", |engine, body| {
        let PowerCutRequest { seed, off_ms } = object(body)?;
        if off_ms > MS_MAX {
            let why = format!("{off_ms} ms is more than a week: give less");
            return Err(Answer::wrong(400, why));
        }
        let off = Duration::from_millis(off_ms);
        let cut = engine.cut_power(PowerOff { seed, off });
        let cut = cut.map_err(|why| Answer::wrong(409, why))?;
        Ok(json(&PowerCutReply { cut }))
    }),
    Action::post("/vanish", |engine, body| {
        no_body(body)?;
        engine.set_presence(false);
        Ok(nothing_to_say())
    }),
    Action::post("/return", |engine, body| {
        no_body(body)?;
        engine.set_presence(true);
        Ok(nothing_to_say())
    }),
    Action::change("/rest", |engine, body| {
        let Rest { hours, celsius } = object(body)?;
        if !((0.0..=HOURS_MAX).contains(&hours) && CELSIUS.contains(&celsius)) {
            let (from, to) = (CELSIUS.start(), CELSIUS.end());
            let why = format!(
                "{hours} hours at {celsius} °C cannot be: give up to {HOURS_MAX} hours, at {from} to {to} °C"
            );
            return Err(Answer::wrong(400, why));
        }
        done(engine.quietly(move |drive| drive.rest(hours, celsius))?)
    }),
    Action::post("/mark", |engine, body| {
        let Mark { text } = object(body)?;
        let marked = engine.look(move |drive| drive.mark(&text))?;
        if !marked.map_err(|why| Answer::wrong(400, why))? {
            let why = "no crash log is being written: serve the drive with --crash-log";
            return Err(Answer::wrong(409, why));
        }
        Ok(nothing_to_say())
    }),
    Action::change("/reset", |engine, body| {
        let Reset { to } = object(body)?;
        if engine.is_recorded() {
            let why = "a trace is being recorded, which a reset would make one of two drives: serve it without --record";
            return Err(Answer::wrong(409, why));
        }
        done(engine.reset(to))
    }),
    Action::change("/snapshot", |engine, body| {
        let NewSnapshot { name } = object(body)?;
        done(engine.snapshot(name))
    }),
    Action::get("/snapshots", |engine, body| {
        no_body(body)?;
        let listed = engine.look(|drive| snapshots(drive.path()))?;
        Ok(json(&listed.map_err(|why| Answer::wrong(409, why))?))
    }),
];

/// Does what is asked for.
pub fn answer(engine: &Engine, request: &Request) -> Answer {
    let answer = known(request).and_then(|action| (action.act)(engine, &request.body));
    answer.unwrap_or_else(|refused| refused)
}

impl From<Stopped> for Answer {
    fn from(stopped: Stopped) -> Answer {
        Answer::wrong(503, stopped)
    }
}

/// Looks the action of a request up.
///
/// # Errors
/// 404 for a path that does not exist, and 405 for a method that it does not take.
fn known(request: &Request) -> Result<&'static Action, Answer> {
    let Request { method, url, .. } = request;
    let Some(action) = ACTIONS.iter().find(|action| action.url == url) else {
        let known = ACTIONS
            .each_ref()
            .map(|action| format!("{} {}", action.method, action.url));
        let known = known.join(", ");
        let why = format!("there is no {url}; there are {known}");
        return Err(Answer::wrong(404, why));
    };
    if action.method != method {
        let right = action.method;
        let why = format!("{method} is not what {url} is for: use {right}");
        return Err(Answer::wrong(405, why));
    }
    Ok(action)
}

fn no_body(body: &str) -> Result<(), Answer> {
    match body {
        "" => Ok(()),
        _ => Err(Answer::wrong(400, "this takes no body")),
    }
}

/// Reads a body. It is an object: a list would be taken for one whose names are left out.
fn object<T: for<'a> Deserialize<'a>>(body: &str) -> Result<T, Answer> {
    if !body.trim_start().starts_with('{') {
        let why = "the body: a JSON object is needed that says what to do";
        return Err(Answer::wrong(400, why));
    }
    serde_json::from_str(body).map_err(|error| Answer::wrong(400, format!("the body: {error}")))
}

fn json(value: &impl Serialize) -> Answer {
    let text = serde_json::to_string(value).expect("numbers and names");
    good(JSON, text + "\n")
}

fn good(kind: &'static str, text: String) -> Answer {
    Answer {
        status: 200,
        kind,
        text,
    }
}

/// The answer to what was done, or what the drive says no to.
fn done<T: std::fmt::Display>(result: Result<(), T>) -> Result<Answer, Answer> {
    let done = result.map(|()| nothing_to_say());
    done.map_err(|why| Answer::wrong(409, why))
}

fn nothing_to_say() -> Answer {
    good(JSON, "{}\n".to_owned())
}

/// Trims a part of a drive, or all of it, and waits until that is done.
///
/// # Errors
/// When the drive takes no trims, is smaller, or fails.
pub fn trim(engine: &Engine, scope: &Scope) -> Result<(), String> {
    if engine.trim_sectors().is_none() {
        return Err("the drive takes no trims".to_owned());
    }
    let range = scope.sectors(engine.size_bytes())?;
    let (sender, receiver) = mpsc::sync_channel(1);
    let answer = Box::new(move |result: Result<Vec<u8>, NbdError>| {
        // The caller waits below until this is sent.
        let _ = sender.send(result.map(drop));
    });
    engine.submit(IoRequest::local(
        Operation::Trim,
        range,
        true,
        Vec::new(),
        answer,
    ));
    let result = receiver.recv().map_err(|_| Stopped.to_string())?;
    result.map_err(|error| error.to_string())
}
