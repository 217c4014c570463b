use super::*;

mod scripted;

const EVERYTHING: Range<u64> = 0..8;

const SIZE_BYTES: u64 = 1 << 30;

fn faults(rule: Rule) -> Program {
    let mut faults = Program::default();
    add(&mut faults, rule);
    faults
}

fn add(faults: &mut Program, rule: Rule) -> u32 {
    let number = faults.add(rule, Nanos::ZERO, SIZE_BYTES, true);
    number.expect("it can be")
}

fn rule(fault: Mishap) -> Rule {
    Rule {
        fault,
        on: Vec::new(),
        range_bytes: None,
        count: None,
        after: 0,
        at_ms: 0,
        seed: 0,
    }
}

fn ms(ms: u64) -> Nanos {
    Nanos::from_millis(ms)
}

fn answer(faults: &mut Program, on: On, range: Range<u64>) -> Option<Answered> {
    faults.judge(on, &range, false, Nanos::ZERO).answer
}

#[test]
fn a_stall_begins_with_the_first_request_and_ends_for_all() {
    let mut faults = faults(rule(Mishap::Stall { ms: 3000 }));
    let mut not_before = |at| {
        let verdict = faults.judge(On::Write, &EVERYTHING, false, ms(at));
        verdict.not_before
    };
    assert_eq!(not_before(1000), ms(4000));
    assert_eq!(not_before(3999), ms(4000));
    assert_eq!(not_before(4000), Nanos::ZERO);
    assert_eq!(not_before(9000), Nanos::ZERO);
}

#[test]
fn a_share_of_errors_is_that_share_and_the_seed_decides_which() {
    let fails = |seed| {
        let mut faults = faults(Rule {
            seed,
            ..rule(Mishap::Error { share: 0.05 })
        });
        let judged = (0..10_000).map(|_| answer(&mut faults, On::Read, EVERYTHING).is_some());
        judged.collect::<Vec<bool>>()
    };
    let count = fails(1).iter().filter(|fails| **fails).count();
    assert!((430..570).contains(&count), "{count} of 10,000");
    assert_eq!(fails(1), fails(1));
    assert_ne!(fails(1), fails(2));
}

#[test]
fn what_it_concerns_is_counted_and_nothing_else() {
    let mut faults = faults(Rule {
        on: vec![On::Flush],
        count: Some(1),
        after: 2,
        ..rule(Mishap::Error { share: 1.0 })
    });
    let mut answers = |on| answer(&mut faults, on, 0..8);
    assert_eq!(answers(On::Write), None);
    assert_eq!([answers(On::Flush), answers(On::Flush)], [None, None]);
    assert_eq!(answers(On::Flush), Some(Answered::Failed));
    assert_eq!(answers(On::Flush), None, "once is once");
    let told = &faults.list(Nanos::ZERO)[0];
    assert_eq!((told.concerned, told.hits, told.is_over), (3, 1, true));
    assert_eq!(told.fault, "error 100% on flush 1 times after 2");
}

#[test]
fn a_bad_range_heals_where_it_is_written_unless_it_stays_bad() {
    let bad = |stays| Rule {
        range_bytes: Some((512 * 10, 512 * 20)),
        ..rule(Mishap::Bad { stays })
    };
    let mut heals = faults(bad(false));
    let error = Some(Answered::Failed);
    assert_eq!(answer(&mut heals, On::Read, 0..10), None);
    assert_eq!(answer(&mut heals, On::Read, 9..11), error);
    assert_eq!(answer(&mut heals, On::Write, 12..14), None);
    assert_eq!(answer(&mut heals, On::Read, 12..14), None);
    assert_eq!(answer(&mut heals, On::Read, 11..12), error);
    assert_eq!(answer(&mut heals, On::Read, 14..15), error);
    assert_eq!(answer(&mut heals, On::Write, 0..30), None);
    assert_eq!(answer(&mut heals, On::Read, 0..30), None);
    assert!(heals.list(Nanos::ZERO)[0].is_over);
    let mut stays = faults(bad(true));
    assert_eq!(answer(&mut stays, On::Write, 12..14), error);
    assert_eq!(answer(&mut stays, On::Read, 12..14), error);
}

#[test]
fn a_dropped_flush_is_dropped_from_a_write_with_fua_as_well() {
    let mut faults = faults(rule(Mishap::DropFlush));
    assert_eq!(answer(&mut faults, On::Flush, 0..0), Some(Answered::Done));
    let mut write = |fua| faults.judge(On::Write, &EVERYTHING, fua, Nanos::ZERO);
    assert_eq!(write(false), Verdict::NOTHING);
    let verdict = write(true);
    assert!(verdict.drops_flush && verdict.answer.is_none());
    assert_eq!(faults.list(Nanos::ZERO)[0].hits, 2);
}

#[test]
fn a_lost_write_is_answered_and_a_misdirected_one_lands_elsewhere() {
    let mut lost = faults(rule(Mishap::Drop));
    assert_eq!(answer(&mut lost, On::Write, 0..8), Some(Answered::Done));
    assert_eq!(answer(&mut lost, On::Read, 0..8), None);
    assert_eq!(answer(&mut lost, On::Trim, 0..8), None);
    let end = SIZE_BYTES / 512;
    let lands = |by_bytes, range: Range<u64>| {
        let mut faults = faults(rule(Mishap::Misdirect { by_bytes }));
        let verdict = faults.judge(On::Write, &range, false, Nanos::ZERO);
        assert_eq!(verdict.answer, None);
        assert_eq!(
            faults.judge(On::Read, &range, false, Nanos::ZERO),
            Verdict::NOTHING
        );
        (verdict.lands_at, faults.list(Nanos::ZERO)[0].hits)
    };
    assert_eq!(lands(None, 16..24), (Some(24), 1), "right behind");
    assert_eq!(lands(Some(512), 16..24), (Some(17), 1));
    assert_eq!(
        lands(None, end - 8..end),
        (Some(end - 16), 1),
        "before the end"
    );
    assert_eq!(lands(None, 0..end), (None, 0), "there is no other place");
    for (by, word) in [
        (0, "no other place"),
        (100, "multiple of 512"),
        (SIZE_BYTES, "off the drive"),
    ] {
        let by_bytes = Some(by);
        let why = Program::default().add(
            rule(Mishap::Misdirect { by_bytes }),
            Nanos::ZERO,
            SIZE_BYTES,
            true,
        );
        assert!(
            why.clone().is_err_and(|why| why.contains(word)),
            "{by}: {why:?}"
        );
    }
}

#[test]
fn what_is_full_or_read_only_can_be_read() {
    let mut full = faults(rule(Mishap::Full));
    assert_eq!(
        answer(&mut full, On::Write, EVERYTHING),
        Some(Answered::Full)
    );
    assert_eq!(answer(&mut full, On::Read, EVERYTHING), None);
    assert_eq!(answer(&mut full, On::Trim, EVERYTHING), None);
    let mut read_only = faults(rule(Mishap::ReadOnly));
    let perm = Some(Answered::Refused);
    assert_eq!(answer(&mut read_only, On::Write, EVERYTHING), perm);
    assert_eq!(answer(&mut read_only, On::Trim, EVERYTHING), perm);
    assert_eq!(answer(&mut read_only, On::Flush, 0..0), None);
}

#[test]
fn a_flip_is_one_bit() {
    let mut data = [0; 512];
    flip(0x1234_5678_9ABC_DEF0, &mut data);
    let ones: u32 = data.iter().map(|byte: &u8| byte.count_ones()).sum();
    assert_eq!(ones, 1);
    flip(1, &mut []);
}

#[test]
fn faults_end_by_their_numbers() {
    let mut faults = faults(rule(Mishap::Full));
    let second = add(&mut faults, rule(Mishap::ReadOnly));
    assert_eq!(faults.clear(Some(second + 1)), 0);
    assert_eq!(faults.clear(Some(1)), 1);
    assert_eq!(
        answer(&mut faults, On::Write, EVERYTHING),
        Some(Answered::Refused)
    );
    assert_eq!(faults.clear(None), 1);
    assert_eq!(answer(&mut faults, On::Write, EVERYTHING), None);
}

#[test]
fn what_cannot_be_is_refused_with_a_reason() {
    let mut faults = Program::default();
    for (wrong, part) in [
        (rule(Mishap::Stall { ms: 0 }), "give for example 3s"),
        (rule(Mishap::Disappear { ms: u64::MAX }), "more than a week"),
        (
            Rule {
                at_ms: u64::MAX,
                ..rule(Mishap::Full)
            },
            "may after a week",
        ),
        (rule(Mishap::Slow { times: 10.0 }), "--timing off"),
        (rule(Mishap::Slow { times: f64::NAN }), "factor above 1"),
        (rule(Mishap::Error { share: 1.5 }), "no share"),
        (rule(Mishap::Error { share: f64::NAN }), "no share"),
        (rule(Mishap::Bad { stays: false }), "which range"),
        (
            Rule {
                on: vec![On::Read],
                ..rule(Mishap::Full)
            },
            "leave out --on",
        ),
        (
            Rule {
                on: vec![On::Flush],
                ..rule(Mishap::Flip)
            },
            "only reads and writes",
        ),
        (
            Rule {
                range_bytes: Some((0, 2 << 20)),
                ..rule(Mishap::Flip)
            },
            "the drive has 1048576 bytes",
        ),
        (
            Rule {
                range_bytes: Some((512, 512)),
                ..rule(Mishap::Flip)
            },
            "is empty",
        ),
        (
            Rule {
                count: Some(0),
                ..rule(Mishap::Flip)
            },
            "count of 0",
        ),
    ] {
        let why = faults.add(wrong.clone(), Nanos::ZERO, 1 << 20, false);
        let why = why.expect_err("it cannot be");
        assert!(why.contains(part), "{wrong:?}: {why}");
    }
    assert_eq!(faults.list(Nanos::ZERO), []);
}

#[test]
fn what_begins_later_concerns_nothing_before() {
    let mut faults = faults(Rule {
        at_ms: 2000,
        ..rule(Mishap::Disappear { ms: 500 })
    });
    let mut not_before = |at| {
        faults
            .judge(On::Read, &EVERYTHING, false, ms(at))
            .not_before
    };
    assert_eq!(not_before(1999), Nanos::ZERO);
    assert_eq!(not_before(2000), ms(2500));
    assert_eq!(not_before(2500), Nanos::ZERO);
    assert_eq!(faults.list(ms(2500))[0].concerned, 1);
    assert_eq!(faults.away_until(ms(1999)), None);
    assert_eq!(faults.away_until(ms(2499)), Some(ms(2500)));
}
