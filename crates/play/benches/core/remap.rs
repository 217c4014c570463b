//! The yardstick of a run without time: what any page mapping must do for a random write, and nothing else.

use crate::load::{SEED, VALID};
use ftlab_base::Divisor;
use rand::Rng;
use std::time::Instant;

/// Slots of the array of the set-up, and of a block.
const SLOTS_OF_ARRAY: u32 = 2 << 20;
const SLOTS_PER_BLOCK: u32 = 256;

/// Millions of random writes a second that only remap a slot and keep the counts of valid slots right. Blocks are
/// written round and round, whatever they hold.
pub fn remaps_per_microsecond(remaps: u64) -> f64 {
    let slots = (f64::from(SLOTS_OF_ARRAY) * VALID) as u32;
    let by_block = Divisor::new(SLOTS_PER_BLOCK);
    let mut map: Vec<u32> = (0..slots).collect();
    let mut valid = vec![SLOTS_PER_BLOCK; (SLOTS_OF_ARRAY / SLOTS_PER_BLOCK) as usize];
    let mut rng = SEED.stream("remap");
    let drawn = |_| ((u128::from(rng.next_u64()) * u128::from(slots)) >> 64) as u32;
    let drawn: Vec<u32> = (0..remaps).map(drawn).collect();
    let mut next = 0;
    let start = Instant::now();
    for slot in drawn {
        let old = std::mem::replace(&mut map[slot as usize], next);
        let count = &mut valid[by_block.quotient(old) as usize];
        *count = count.wrapping_sub(1);
        let count = &mut valid[by_block.quotient(next) as usize];
        *count = count.wrapping_add(1);
        next = if next + 1 == SLOTS_OF_ARRAY {
            0
        } else {
            next + 1
        };
    }
    let seconds = start.elapsed().as_secs_f64();
    std::hint::black_box((&map, &valid));
    remaps as f64 / seconds / 1e6
}
