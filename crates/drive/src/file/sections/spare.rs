//! `[spare]`: how much of the array the host does not see.

use crate::file::section::section;
use ftlab_base::Layout;
use ftlab_sheet::quantity::{Bytes, Quantity, Ratio};

section! {
    "spare"
    /// How much of the array the host does not see: one of the two.
    struct Spare {
        /// Capacity that the host sees.
        user_capacity: Option<Quantity<Bytes>>,
        /// Over-provisioning, of the user capacity: (raw − reserve − user) / user
        /// ([decision 0002](../decisions/0002-collection-in-step.md)).
        op: Option<Quantity<Ratio>>,
    }
}

impl Spare {
    /// Slots that the host sees. `op` is what is left of `usable` slots beside the user's data, over the user's data.
    pub(in crate::file) fn user_slots(
        &self,
        layout: &Layout,
        usable: impl FnOnce() -> Result<u32, String>,
    ) -> Result<u32, String> {
        match (&self.op, &self.user_capacity) {
            (Some(_), Some(_)) => Err("[spare] has both user_capacity and op; give one".into()),
            (Some(op), None) => Ok((f64::from(usable()?) / (1.0 + op.base)) as u32),
            (None, Some(capacity)) => {
                let slots = capacity.get() / u64::from(layout.geometry.slot_bytes);
                if slots > u64::from(layout.slots()) {
                    return Err(format!(
                        "spare.user_capacity: {} bytes on an array of {} bytes",
                        capacity.get(),
                        layout.geometry.raw_bytes()
                    ));
                }
                Ok(slots as u32)
            }
            (None, None) => Err("[spare] needs user_capacity or op".into()),
        }
    }
}
