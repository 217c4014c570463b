//! Drives at the beginning of a load: brought to a state, or loaded with what was saved.

use crate::LabError;
use crate::cell::Saved;
use crate::subject::{Devices, Member, Subject};
use ftlab_base::{Content, RootSeed};
use ftlab_drive::saved::{self, Origin};
use ftlab_drive::{Device, DriveFile, Kind};
use ftlab_states::watch::Watch;
use ftlab_states::{Settling, State};

/// Way of a drive to the beginning of its load.
#[derive(Debug, Clone, Default)]
pub struct Begun {
    /// Settling of the drive, if its state is one to settle in.
    pub settling: Option<Settling>,
    /// Source that it was loaded from, if it was not prepared.
    pub loaded: Option<Loaded>,
}

/// A saved drive that was loaded.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// Its file, as it was given.
    pub file: String,
    /// State and steps that it had been through.
    pub origin: Origin,
}

impl Begun {
    /// Returns true if garbage collection had settled on a drive that was to begin in a state.
    pub fn has_settled(&self, state: State) -> bool {
        match &self.loaded {
            None => state.has_settled(self.settling.as_ref()),
            Some(loaded) => State::named(&loaded.origin.state).is_some_and(|s| s.has_settled(None)),
        }
    }

    /// Returns the steps of the drive in words; `before` are the data written on the way to the state.
    fn steps(&self, kind: Kind, state: State, before: Content) -> Vec<String> {
        if let Some(loaded) = &self.loaded {
            return loaded.origin.steps.clone();
        }
        let mut steps = ftlab_states::steps(kind, state, self.settling.as_ref());
        if before != Content::RANDOM {
            steps.push(WRITTEN_ALIKE.to_owned());
        }
        steps
    }
}

/// Returns the steps of a subject's drives in words, those of one after the other.
pub fn steps(subject: &Subject, begun: &[Begun], state: State, before: Content) -> Vec<String> {
    let of = |(member, begun): (&Member, &Begun)| {
        let steps = begun.steps(member.file.kind(), state, before);
        match member.name.as_str() {
            "" => steps,
            name => vec![format!("{name}: {}", steps.join(" "))],
        }
    };
    subject.members().iter().zip(begun).flat_map(of).collect()
}

/// Sentence on the preparation of a drive for a load of data that compress.
pub const WRITTEN_ALIKE: &str = "All of that with data as compressible as those of the test.";

/// Way of drives from one state to another.
#[derive(Debug, Clone, Copy)]
pub struct Way<'a> {
    /// The state that they are in.
    pub from: State,
    /// The state that they are brought to.
    pub to: State,
    /// The data that are written on the way.
    pub before: Content,
    /// The saved drive that is loaded instead.
    pub saved: Option<&'a Saved>,
}

/// Brings the drives of flash from one state to the next, or loads them with what was saved.
///
/// # Errors
/// When a drive cannot be brought there or loaded, or `watch` ends it.
pub fn prepare(
    subject: &Subject,
    devices: &mut Devices,
    way: Way<'_>,
    root: RootSeed,
    watch: &Watch<'_>,
) -> Result<Vec<Begun>, LabError> {
    let mut begun = Vec::new();
    for (member, device) in subject.members().iter().zip(devices) {
        let load = |saved: &Saved| load(saved, &member.file, device.as_mut());
        let loaded = way.saved.map(load).transpose()?;
        let mut settling = None;
        if member.file.kind() == Kind::Ssd && loaded.is_none() {
            let tell = |what: &str, share| match member.name.as_str() {
                "" => watch(what, share),
                name => watch(&format!("{name}: {what}"), share),
            };
            let (ends, seed) = ((way.from, way.to), subject.seed(member, root));
            let prepared =
                ftlab_states::prepare_with(device.as_mut(), ends, seed, way.before, &tell);
            settling = prepared.map_err(|error| LabError::Prepare {
                drive: member.file.slug().to_owned(),
                error,
            })?;
        }
        begun.push(Begun { settling, loaded });
    }
    Ok(begun)
}

/// Loads a drive that is fresh from its file.
fn load(saved: &Saved, file: &DriveFile, device: &mut dyn Device) -> Result<Loaded, LabError> {
    let refused = |why: String| match saved.file.as_str() {
        "" => LabError::Refused(why),
        file => LabError::Refused(format!("cannot start from {file}: {why}")),
    };
    let read = || saved::read(&mut &*saved.bytes, file, device);
    let read = ftlab_base::guard::guarded(read).map_err(|panic| refused(panic.to_string()))?;
    Ok(Loaded {
        file: saved.file.clone(),
        origin: read.map_err(|error| refused(error.to_string()))?,
    })
}
