//! States that contradict themselves are refused.

use super::*;
use crate::testing::{WriteWhole, page_config};
use ftlab_base::{Geometry, Layout};

/// A layer of two groups as built.
fn layer() -> PageLayer<true> {
    let geometry = Geometry {
        channels: 2,
        dies: 2,
        planes_per_die: 1,
        blocks_per_die: 16,
        pages_per_block: 8,
        page_bytes: 4096,
        slot_bytes: 4096,
    };
    let config = page_config(100);
    PageLayer::new(Layout::new(geometry, 1).unwrap(), config).unwrap()
}

/// The state of a layer that has been collecting for long.
fn collecting() -> PageState {
    let (mut layer, mut batch) = (layer(), OpBatch::default());
    for n in 0..2000 {
        layer.write_whole(Lpn(n * 37 % 100), &mut batch).unwrap();
        batch.clear();
    }
    layer.state(Room::default())
}

#[test]
fn a_group_without_room_is_refused() {
    let mut state = collecting();
    layer().take_over(state.clone()).unwrap();
    // What was free is now full of invalid slots: nothing contradicts that but the reserve.
    state.groups[1].free.clear();
    let why = layer().take_over(state).unwrap_err().0;
    assert!(
        why.contains("group 1 has") && why.contains("writable"),
        "{why}"
    );
}

#[test]
fn a_group_with_more_than_its_share_is_refused() {
    let mut state = collecting();
    // Every logical slot that group 0 has a place for moves there.
    let group_slots = 16 * 8;
    let mut taken: Vec<bool> = vec![false; group_slots as usize];
    for &slot in state.map.iter().filter(|&&slot| slot < group_slots) {
        taken[slot as usize] = true;
    }
    let in_use = |s: u32| {
        let group = &state.groups[0];
        let mut open = group.frontiers.iter().map(|f| f.superblock);
        let victim = group.victim.map(|v| v.superblock);
        let s = SuperblockId(s);
        group.free.contains(&s) || open.any(|open| open == Some(s)) || victim == Some(s)
    };
    let mut places = (0..group_slots).filter(|&n| !taken[n as usize] && !in_use(n / 8));
    let mut map = state.map.clone();
    for slot in map.iter_mut().filter(|slot| **slot >= group_slots) {
        *slot = places.next().unwrap_or(*slot);
    }
    state.map = map;
    let why = layer().take_over(state).unwrap_err().0;
    assert!(why.contains("its share is 50"), "{why}");
}
