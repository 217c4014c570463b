//! The claims without a check: what a model of a drive cannot decide, and what waits for a mechanism.

use super::Verdict;

const PRICE: &str = "a statement about prices or cost: a model of a drive has none";
const PCMARK: &str =
    "scores of a closed program, whose requests are not published: any trace would be invented";
const IDENTITY: &str =
    "says which products are the same inside: a model is told so, it cannot find out";
const OPINION: &str =
    "an opinion or a piece of advice about use, without a figure that a drive could show";
const VENDOR: &str = "says what a maker offers, promises or selects: nothing that a drive does";
const SHEET: &str = "compares figures of data sheets with each other: no run is part of it";
const COUNTED: &str = "counts of a trace, with which the one that is played was drawn: a model is told so, it cannot find out";
const FIRMWARE: &str = "how often each firmware lost its drive, of which no rate was published";

/// Claims that no model of a drive can decide, with the reason.
const NOT_FOR_A_MODEL: &[(&str, &str)] = &[
    ("C001", PRICE),
    (
        "C004",
        "follows from the price of a die of a given area: a model of a drive has none",
    ),
    ("C036", IDENTITY),
    ("C037", IDENTITY),
    ("C041", PCMARK),
    ("C042", PCMARK),
    ("C043", PCMARK),
    ("C044", PCMARK),
    (
        "C067",
        "how installers of an operating system bear long waits is a property of theirs",
    ),
    ("C073", "about timing by hand: virtual time has no hand"),
    ("C082", PCMARK),
    ("C083", PCMARK),
    ("C084", PCMARK),
    ("C087", PCMARK),
    ("C088", PCMARK),
    ("C089", PCMARK),
    (
        "C099",
        "frames a second are the game's and the graphics card's; its requests are not published",
    ),
    (
        "C100",
        "frames a second are the game's and the graphics card's; its requests are not published",
    ),
    ("C108", PCMARK),
    ("C110", OPINION),
    (
        "C112",
        "compares a test with what users do, which the source does not measure",
    ),
    ("C126", PRICE),
    ("C127", PRICE),
    (
        "C130",
        "area of dies and cost of silicon: a model of a drive has none",
    ),
    ("C137", IDENTITY),
    ("C138", SHEET),
    ("C142", PRICE),
    ("C147", SHEET),
    ("C150", IDENTITY),
    (
        "C164",
        "about what users ask of a drive in ordinary use, which the source does not measure",
    ),
    ("C216", PRICE),
    ("C220", FIRMWARE),
    (
        "C221",
        "an expectation of failure rates in the field, of which none were published",
    ),
    ("C222", VENDOR),
    ("C223", PRICE),
    (
        "C224",
        "conduction of heat through a case: no figure is published",
    ),
    ("C231", VENDOR),
    ("C241", COUNTED),
    ("C244", COUNTED),
    (
        "C268",
        "a limit of a controller's addressing, told in a comment: a model is told so, it cannot find out",
    ),
    (
        "C269",
        "a limit of packaging, told in a comment: dies in a model are not stacked",
    ),
    (
        "C270",
        "about connectors: electrically the same link is the same link in a model by definition",
    ),
];

/// Claims that wait for something, and for what.
const OPEN: &[(&str, &str)] = &[
    (
        "C003",
        "programs made of pulses and verifications: a program takes one time",
    ),
    (
        "C005",
        "cells with a window of voltage and levels in it: times and cycles are given as such",
    ),
    ("C028", "disturb of neighbouring cells by a program"),
    ("C066", "a script of the installation of Windows Vista"),
    ("C072", "several seeds of one measurement in a check"),
    ("C076", "power cuts: what buffers lose"),
    (
        "C196",
        "the requests of this installation: the script's are assumed, and seeks between what they read \
         and write put a disk behind the SSDs",
    ),
];

/// Why a claim has no check.
///
/// # Panics
/// When the claim is in neither list: a test looks for that.
pub fn reason(id: &str) -> (Verdict, &'static str) {
    let of = |list: &'static [(&str, &'static str)]| {
        list.iter()
            .find(|(other, _)| *other == id)
            .map(|(_, why)| *why)
    };
    let not = of(NOT_FOR_A_MODEL).map(|why| (Verdict::NotForAModel, why));
    let open = of(OPEN).map(|what| (Verdict::Open, what));
    not.or(open)
        .unwrap_or_else(|| panic!("claim {id} has neither a check nor a reason"))
}

#[cfg(test)]
pub fn ids() -> impl Iterator<Item = &'static str> {
    NOT_FOR_A_MODEL.iter().chain(OPEN).map(|(id, _)| *id)
}
