//! Options that choose a part of a trace, and say how it is replayed.

use crate::failure::{Failure, Outcome};
use crate::options::choice;
use crate::progress::Signs;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use ftlab_bench::loads::OwnLoad;
use ftlab_bench::loads::{Replay, Window, share_of_addresses};
use ftlab_play::load::What;
use ftlab_play::recording::Pace;
use ftlab_trace::{Action, Fit, Format, Look, Opening, Selection};
use std::any::Any;
use std::path::Path;

/// Options that only concern recorded traces have a part of the help of their own.
const HEADING: &str = "Recorded traces";

#[derive(Debug, Clone, Default, Args)]
pub struct TraceOptions {
    /// The format of a recorded trace; by default it is recognised
    #[arg(long, help_heading = HEADING, value_name = "FORMAT", value_parser = format())]
    format: Option<Format>,
    /// Which events of blktrace's traces are the requests: Q queued, D issued to the device, C completed
    #[arg(long, help_heading = HEADING, value_parser = choice(ACTIONS), ignore_case = true)]
    action: Option<Action>,
    /// Only what a recorded trace has of this device; may be repeated
    #[arg(long = "device", help_heading = HEADING, value_name = "NAME")]
    devices: Vec<String>,
    /// Only what a recorded trace has from one time to another after its start, for example 10m..1h or ..30s
    #[arg(long, help_heading = HEADING, value_name = "FROM..TO", value_parser = str::parse::<Window>)]
    window: Option<Window>,
    /// Only this share of a recorded trace's addresses, with all of their requests, for example 10%
    #[arg(long, help_heading = HEADING, value_name = "PERCENT", value_parser = share_of_addresses)]
    share: Option<f64>,
}

#[derive(Debug, Clone, Default, Args)]
pub struct ReplayOptions {
    #[command(flatten)]
    pub trace: TraceOptions,
    /// When the requests of a recorded trace are issued: original (at their own times), scaled=2x (twice as fast), closed=N
    /// (N at a time), or asap (as fast as the drive takes them). At their own times, latency counts from the intended arrival
    #[arg(long, help_heading = HEADING, value_name = "PACE", value_parser = str::parse::<Pace>)]
    pace: Option<Pace>,
    /// How to treat addresses of a recorded trace beyond the drive
    #[arg(long, help_heading = HEADING, value_parser = choice(Fit::NAMED))]
    fit: Option<Fit>,
}

const ACTIONS: [(&str, Action, &str); 3] = [
    ("q", Action::Queued, ""),
    ("d", Action::Issued, ""),
    ("c", Action::Completed, ""),
];

/// Reads a format by its name.
pub fn format() -> impl TypedValueParser<Value = Format> {
    let names = PossibleValuesParser::new(Format::ALL.map(|format| format.spec().name));
    names.try_map(|name| Format::named(&name).ok_or("it is no format"))
}

impl TraceOptions {
    /// Reads a trace, and keeps a part of it, as the options say.
    pub fn replay(&self) -> Replay {
        let opening = Opening {
            format: self.format,
            action: self.action.unwrap_or_default(),
        };
        let selection = Selection {
            devices: self.devices.clone(),
            from_ns: self.window.and_then(|window| window.from_ns),
            until_ns: self.window.and_then(|window| window.until_ns),
            share: self.share,
            ..Selection::default()
        };
        Replay {
            opening,
            selection,
            ..Replay::NONE
        }
    }

    /// An option that was given; none if none was.
    fn given(&self) -> Option<&'static str> {
        let given = [
            ("--format", self.format.is_some()),
            ("--action", self.action.is_some()),
            ("--device", !self.devices.is_empty()),
            ("--window", self.window.is_some()),
            ("--share", self.share.is_some()),
        ];
        given
            .into_iter()
            .find(|(_, is_given)| *is_given)
            .map(|(name, _)| name)
    }
}

impl ReplayOptions {
    /// An option that was given; none if none was.
    fn given(&self) -> Option<&'static str> {
        let own = [
            ("--pace", self.pace.is_some()),
            ("--fit", self.fit.is_some()),
        ];
        let own = own.into_iter().find(|(_, is_given)| *is_given);
        self.trace.given().or(own.map(|(name, _)| name))
    }

    /// Refuses options that are about recorded traces where no load is one.
    pub fn check(&self, loads: &[OwnLoad]) -> Outcome {
        let is_recording = |own: &OwnLoad| matches!(own.load.what(), What::Recording(_));
        match self.given() {
            Some(option) if !loads.iter().any(is_recording) => Err(Failure::Input(format!(
                "{option} is about recorded traces, and no load is one; leave it out, or name the format of the \
                     trace with --format"
            ))),
            _ => Ok(()),
        }
    }

    /// Replays traces as the options say.
    pub fn replay(&self) -> Replay {
        Replay {
            pace: self.pace,
            fit: self.fit.unwrap_or_default(),
            ..self.trace.replay()
        }
    }
}

/// Says on standard error what a trace was taken for, and that it is read as long as what is returned lives.
pub fn tell_of_trace(signs: Signs) -> impl Fn(&Look, &Path) -> Box<dyn Any> {
    move |look, path| {
        signs.tell(&look.words());
        Box::new(signs.spinner(&format!("reading {}", path.display())))
    }
}
