//! A drive with a victim policy that its file cannot name: one from another crate.

use super::schema::Scheme;
use super::{Body, DriveError, DriveFile};
use ftlab_base::rng::Stream;
use ftlab_ftl::page::{POLICIES, VictimPolicy, registered};
use std::fmt;
use std::sync::Arc;
use toml::Value;

/// Makes a policy that draws at random from the stream, if it draws.
type Make = dyn Fn(Stream) -> Box<dyn VictimPolicy> + Send + Sync;

/// A policy from elsewhere.
#[derive(Clone)]
pub(super) struct OwnPolicy(Arc<Make>);

impl OwnPolicy {
    pub(super) fn make(&self, stream: Stream) -> Box<dyn VictimPolicy> {
        (self.0)(stream)
    }
}

impl fmt::Debug for OwnPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OwnPolicy")
    }
}

impl DriveFile {
    /// The same drive with a victim policy of the caller's, made by `make` for every drive that is
    /// built; what it draws at random it takes from the stream given, which depends on the drive's
    /// seed. `name` stands in the sheet and is part of the hash, so let it say the policy's numbers
    /// as well: `minimum-age-400`.
    ///
    /// # Errors
    /// When the drive has no victim policy, or the name is that of a policy that comes along.
    pub fn with_policy(
        mut self,
        name: &str,
        make: impl Fn(Stream) -> Box<dyn VictimPolicy> + Send + Sync + 'static,
    ) -> Result<DriveFile, DriveError> {
        let is_paged = matches!(&self.body, Body::Ssd(ssd) if ssd.map.scheme != Scheme::Block);
        let Some(Value::Table(gc)) = self.table.get_mut("gc").filter(|_| is_paged) else {
            return Err(self.invalid(
                "it has no victim policy to replace; only drives with map.scheme `page` or `packed` have"
                    .into(),
            ));
        };
        if registered(name).is_some() {
            return Err(self.invalid(format!(
                "`{name}` is a policy that comes along; give yours another name"
            )));
        }
        // The parameters of the policy that goes mean nothing to the one that comes.
        for parameter in POLICIES.iter().flat_map(|policy| policy.parameters) {
            gc.remove(parameter.name);
        }
        gc.insert("policy".into(), Value::String(name.into()));
        self.own_policy = Some(OwnPolicy(Arc::new(make)));
        Ok(self)
    }
}
