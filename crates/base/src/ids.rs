//! Addresses. Each is a type of its own; only [`crate::Geometry`] converts between them.

use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident($raw:ty), $label:literal) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(pub $raw);

        impl $name {
            /// The address as an index into a table of its kind.
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($label, " {}"), self.0)
            }
        }
    };
}

id! {
    /// Logical block address: a host sector of 512 bytes.
    Lba(u64), "LBA"
}
id! {
    /// Logical page number: one mapping unit (slot) as the host addresses it.
    Lpn(u32), "LPN"
}
id! {
    /// Physical slot address: one mapping unit as the NAND holds it. Numbered superblock by
    /// superblock, in programming order ([`crate::Layout`]).
    Ppa(u32), "PPA"
}
id! {
    /// Physical page: what one sense reads. Numbered block by block.
    PageId(u32), "page"
}
id! {
    /// Physical erase block. Numbered die by die.
    BlockId(u32), "block"
}
id! {
    /// A die (logical unit): the smallest part that works on its own.
    DieId(u16), "die"
}
