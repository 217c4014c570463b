//! Faults on demand: what they come to in layers of every kind.

use super::{Life, layers_of, wearing};
use crate::{Extent, Fault, TranslationLayer};
use ftlab_base::{BlockId, DieId, Lpn};
use ftlab_nand::{Fence, InjectionRefused, OpBatch, Reliability};

/// A layer that has been written about three times over, and flushed.
fn used(name: &str, layer: Box<dyn TranslationLayer>, seed: u64) -> Life {
    let mut life = Life::new(layer, seed);
    for _ in 0..3 * life.layer.slots() {
        life.step().unwrap_or_else(|why| panic!("{name}: {why}"));
    }
    flush(&mut life);
    life
}

fn flush(life: &mut Life) {
    life.layer.flush(&mut life.batch);
    life.oracle.take(life.batch.moves());
    life.batch.clear();
}

fn inject(life: &mut Life, fault: Fault) -> Result<(), InjectionRefused> {
    let done = life.layer.inject(fault, &mut life.batch);
    life.oracle.take(life.batch.moves());
    life.batch.clear();
    done
}

/// Layers that last, of every kind.
fn lasting(seed: u64) -> Vec<(&'static str, Box<dyn TranslationLayer>)> {
    layers_of(&wearing(1_000_000, seed))
}

fn mapped(life: &Life) -> Vec<Lpn> {
    let all = (0..life.layer.slots()).map(Lpn);
    all.filter(|&lpn| life.layer.lookup(lpn).is_some())
        .collect()
}

/// Reads a slot, and returns true if its data came.
fn reads(life: &mut Life, lpn: Lpn) -> bool {
    let unreadable = |life: &Life| life.layer.array().fault_counters().unreadable;
    let (before, foretold) = (unreadable(life), life.layer.can_read(lpn));
    life.layer
        .read(lpn, 1, Fence::NONE, &mut OpBatch::default());
    let is_read = unreadable(life) == before;
    assert_eq!(is_read, foretold, "{lpn}");
    is_read
}

#[test]
fn a_block_that_wears_out_is_replaced() {
    for seed in 0..4 {
        for (name, layer) in lasting(seed) {
            let mut life = used(name, layer, seed);
            let faults = life.layer.array().fault_counters();
            let blocks = life.layer.layout().geometry.blocks();
            let spare = life.layer.spare().left;
            for n in 0..spare.min(3) {
                let block = BlockId((seed as u32 * 7 + 11 * n) % blocks);
                let is_bad = life.layer.array().is_bad(block);
                let expected = match is_bad {
                    true => Err(InjectionRefused::BadAlready(block)),
                    false => Ok(()),
                };
                assert_eq!(inject(&mut life, Fault::BadBlock(block)), expected);
            }
            for _ in 0..6 * life.layer.slots() {
                life.step().unwrap_or_else(|why| panic!("{name}: {why}"));
            }
            life.check();
            let after = life.layer.array().fault_counters();
            let grown = |f: &ftlab_nand::FaultCounters| f.erase_failed + f.program_failed;
            assert!(grown(&after) > grown(&faults), "{name}: {after:?}");
            assert_eq!(after.unreadable, faults.unreadable, "{name}");
        }
    }
}

/// Returns true if a layer makes a page beyond correction good from others.
fn keeps_parity(name: &str) -> bool {
    name.contains("RAISE") || name.contains("parity")
}

#[test]
fn what_cannot_be_corrected_is_told_until_it_is_written_anew() {
    for seed in 0..4 {
        for (name, layer) in lasting(seed) {
            let mut life = used(name, layer, seed);
            let is_protected = keeps_parity(name);
            let slots = mapped(&life);
            let lpn = slots[slots.len() / 2];
            assert!(reads(&mut life, lpn));
            inject(&mut life, Fault::Unreadable(lpn)).unwrap();
            assert_eq!(reads(&mut life, lpn), is_protected, "{name}");
            let made_good = life.layer.array().fault_counters().made_good;
            assert_eq!(made_good > 0, is_protected, "{name}");
            // Others lie in the same page.
            let lost: Vec<Lpn> = slots
                .iter()
                .copied()
                .filter(|&l| !reads(&mut life, l))
                .collect();
            assert_eq!(lost.contains(&lpn), !is_protected, "{name}");
            // A part of it that is written leaves the rest lost; collection moves what is lost.
            life.write(lpn, Extent::Part).unwrap();
            flush(&mut life);
            assert_eq!(reads(&mut life, lpn), is_protected, "{name}");
            let others: Vec<Lpn> = (0..life.layer.slots())
                .map(Lpn)
                .filter(|l| !lost.contains(l))
                .collect();
            for _ in 0..4 {
                for &other in &others {
                    life.write(other, Extent::Whole).unwrap();
                }
            }
            flush(&mut life);
            life.check();
            for &other in &others {
                assert!(reads(&mut life, other), "{name}: {other}");
            }
            for &lpn in &lost {
                assert!(!reads(&mut life, lpn), "{name}: {lpn}");
                life.write(lpn, Extent::Whole).unwrap();
            }
            flush(&mut life);
            for lpn in lost {
                assert!(reads(&mut life, lpn), "{name}: {lpn}");
            }
        }
    }
}

#[test]
fn a_dead_die_takes_its_data_along_or_is_made_good() {
    for seed in 0..4 {
        for (name, layer) in lasting(seed) {
            let mut life = used(name, layer, seed);
            let die = DieId(1);
            inject(&mut life, Fault::Die(die)).unwrap();
            assert_eq!(life.layer.dead_die(), Some(die));
            let slots = mapped(&life);
            let (mut lost, mut held) = (0, 0);
            for &lpn in &slots {
                let readable = reads(&mut life, lpn);
                lost += u32::from(!readable);
                held += u32::from(readable);
            }
            if name.contains("RAISE") {
                assert_eq!(lost, 0, "{name}");
                while life.layer.work_ahead(&mut life.batch) {
                    life.oracle.take(life.batch.moves());
                    life.batch.clear();
                }
                life.check();
                for _ in 0..3 * life.layer.slots() {
                    life.step().unwrap_or_else(|why| panic!("{name}: {why}"));
                }
                life.check();
                continue;
            }
            assert_eq!(lost == 0, keeps_parity(name), "{name}: {lost} lost");
            assert!(held > 0, "{name}: {held} held");
            // Nothing takes the place of a die: soon it is read-only, and still holds what others hold.
            let refusal = (0..100 * life.layer.slots())
                .find_map(|_| life.step().err())
                .unwrap_or_else(|| panic!("{name}: it lives for ever"));
            assert!(refusal.is_final(), "{name}: {refusal}");
            life.check();
        }
    }
}

#[test]
fn at_the_end_of_life_writes_fail_and_reads_go_on() {
    for seed in 0..4 {
        for (name, layer) in lasting(seed) {
            let mut life = used(name, layer, seed);
            inject(&mut life, Fault::EndOfLife).unwrap();
            let most = 4 * life.layer.slots();
            let refusal = (0..most)
                .find_map(|_| life.step().err())
                .unwrap_or_else(|| panic!("{name}: it takes {most} commands"));
            assert!(refusal.is_final(), "{name}: {refusal}");
            life.check();
            for lpn in mapped(&life) {
                assert!(reads(&mut life, lpn), "{name}: {lpn}");
            }
        }
    }
}

#[test]
fn an_injected_fault_is_kept_in_the_saved_state() {
    let faults = [
        Fault::BadBlock(BlockId(9)),
        Fault::Unreadable(Lpn(3)),
        Fault::Die(DieId(0)),
        Fault::EndOfLife,
    ];
    for fault in faults {
        for ((name, layer), (_, mut copy)) in lasting(2).into_iter().zip(lasting(2)) {
            let mut life = used(name, layer, 2);
            life.write(Lpn(3), Extent::Whole).unwrap();
            flush(&mut life);
            // A layer that cannot have this fault has nothing to keep.
            if inject(&mut life, fault).is_err() {
                continue;
            }
            let state = life.layer.save();
            copy.restore(state.clone())
                .unwrap_or_else(|why| panic!("{name}, {fault:?}: {why}"));
            assert_eq!(copy.save(), state, "{name}, {fault:?}");
            let mut twin = life.twin(copy);
            for _ in 0..8 * life.layer.slots() {
                let (one, other) = (life.step(), twin.step());
                assert_eq!(one, other, "{name}, {fault:?}");
                if one.is_err() {
                    break;
                }
            }
            let hash = |life: &Life| life.layer.array().stream_hash();
            assert_eq!(hash(&life), hash(&twin), "{name}, {fault:?}");
        }
    }
}

#[test]
fn where_there_is_nothing_nothing_goes_wrong() {
    for (name, layer) in lasting(1) {
        let mut life = Life::new(layer, 1);
        let geometry = life.layer.layout().geometry;
        let refused = |life: &mut Life, fault| inject(life, fault).unwrap_err();
        assert_eq!(
            refused(&mut life, Fault::Unreadable(Lpn(0))),
            InjectionRefused::NothingStored,
            "{name}"
        );
        let (block, blocks) = (BlockId(geometry.blocks()), geometry.blocks());
        assert_eq!(
            refused(&mut life, Fault::BadBlock(block)),
            InjectionRefused::NoBlock { block, blocks }
        );
        let (die, dies) = (DieId(geometry.dies() as u16), geometry.dies());
        assert_eq!(
            refused(&mut life, Fault::Die(die)),
            InjectionRefused::NoDie { die, dies }
        );
    }
}

#[test]
fn blocks_and_pages_fail_as_often_as_the_drive_file_says() {
    let failing = Reliability {
        grown_bad: 0.05,
        unreadable_pages: 0.02,
        ..wearing(1_000_000, 3)
    };
    for (name, layer) in layers_of(&failing) {
        let mut life = Life::new(layer, 3);
        for _ in 0..20 * life.layer.slots() {
            if life.step().is_err() {
                break;
            }
        }
        life.check();
        let faults = life.layer.array().fault_counters();
        assert!(faults.erase_failed + faults.program_failed > 0, "{name}");
        let told = faults.unreadable + faults.made_good;
        assert!(told > 0, "{name}: {faults:?}");
    }
}
