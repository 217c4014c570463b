//! Faults on demand: what somebody has go wrong in a layer's flash.

use crate::TranslationLayer;
use ftlab_base::{BlockId, DieId, Lpn, PagePlace};
use ftlab_nand::InjectionRefused;

/// A fault to inject into a layer's flash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A block wears out: its next erase fails, or a program.
    BadBlock(BlockId),
    /// More bits of the pages that hold a slot flip than ECC corrects. What is written there next is
    /// as good as ever.
    Unreadable(Lpn),
    /// A die fails with everything on it.
    Die(DieId),
    /// All blocks wear out.
    EndOfLife,
}

/// Has it go wrong in a layer that leaves it to its array.
pub(crate) fn in_array<L: TranslationLayer + ?Sized>(
    layer: &mut L,
    fault: Fault,
) -> Result<(), InjectionRefused> {
    match fault {
        Fault::BadBlock(block) => layer.array_mut().wear_out(block),
        Fault::EndOfLife => {
            layer.array_mut().wear_out_all();
            Ok(())
        }
        Fault::Die(die) => layer.array_mut().kill(die),
        Fault::Unreadable(lpn) => {
            let ppa = layer.lookup(lpn).ok_or(InjectionRefused::NothingStored)?;
            let layout = layer.layout();
            let (superblock, n) = layout.locate(ppa);
            let (first, pages) = layout.pages_of_slot(n);
            let pages = first..first + pages;
            let places: Vec<PagePlace> = pages.map(|n| layout.page(superblock, n)).collect();
            layer.array_mut().spoil(&places)
        }
    }
}
