//! A translation layer as a file describes it: checked, and not made yet.

use super::ssd::SchemePlan;
use ftlab_base::Layout;
use ftlab_base::amount::binary;
use ftlab_ftl::TranslationLayer;
use ftlab_ftl::block::BlockLayer;
use ftlab_ftl::packed::PackedLayer;
use ftlab_ftl::page;

/// A translation layer as a file describes it: checked, and not made yet.
pub(super) struct LayerPlan {
    pub(super) layout: Layout,
    pub(super) user_slots: u32,
    pub(super) scheme: SchemePlan,
}

impl LayerPlan {
    /// Bytes that the tables of the layer and the states of the blocks take at least: a logical and a physical number a
    /// slot, and two counts a block.
    pub(super) fn table_bytes(&self) -> u64 {
        4 * (u64::from(self.user_slots) + u64::from(self.layout.slots()))
            + 8 * u64::from(self.layout.geometry.blocks())
    }

    pub(super) fn make(self) -> Result<Box<dyn TranslationLayer>, String> {
        let bytes = self.table_bytes();
        if !gives(bytes) {
            return Err(format!(
                "its tables take at least {} of memory, more than this machine gives; \
                 lower nand.blocks_per_die or nand.dies_per_channel",
                binary(bytes as f64, "B")
            ));
        }
        Ok(match self.scheme {
            SchemePlan::Page(config) => page::layer(self.layout, *config)?,
            SchemePlan::Packed(config) => Box::new(PackedLayer::new(self.layout, *config)?),
            SchemePlan::Block(config, reliability) => {
                let layer = BlockLayer::new(self.layout, config, self.user_slots, reliability);
                Box::new(layer?)
            }
        })
    }
}

/// Asks the system for so much memory; returns true if it gives it. Asked before the tables are made: a table that
/// cannot be had ends the program without a word of what to do.
fn gives(bytes: u64) -> bool {
    let mut asked = Vec::<u8>::new();
    let given = usize::try_from(bytes).is_ok_and(|n| asked.try_reserve_exact(n).is_ok());
    // Or the compiler would see that nobody uses it, and not ask.
    std::hint::black_box(&asked);
    given
}

#[cfg(test)]
mod tests {
    use super::gives;

    #[test]
    fn memory_is_asked_for_before_it_is_used() {
        assert!(gives(1 << 20));
        // More than any address space.
        assert!(!gives(1 << 62));
        assert!(!gives(u64::MAX));
    }
}
