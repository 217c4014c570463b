//! The error of numbers that cannot describe a part of a drive.

/// Reason why a part of a drive cannot be built: the number that is wrong, and the values that it may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError(pub String);

impl std::fmt::Display for ConfigError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConfigError {}

impl From<ConfigError> for String {
    fn from(error: ConfigError) -> String {
        error.0
    }
}
