//! The version of the model.

/// The version of the model: a whole number that is raised whenever a run gives other results than before, on
/// any drive. It covers every crate from `base` to `bench` and all files that are compiled in. Results of one
/// version, drive file, test and seed are the same numbers, whatever was built and when, so a review that was
/// interrupted goes on with what another build of the same version has done.
///
/// `crates/play/tests/model_version.rs` fails when results change and this number does not.
pub const MODEL_VERSION: u32 = 14;

/// Version and model in a line: what a file says that only the same model can go on with.
#[must_use]
pub fn version() -> String {
    format!("{} (model {MODEL_VERSION})", env!("CARGO_PKG_VERSION"))
}
