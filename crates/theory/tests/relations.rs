//! What the closed forms say of one another, and where they end.

use ftlab_theory::{
    Class, OutOfDomain, RandomWriteBound, alpha_in_use, choices, choices_occupancy, fifo,
    fifo_mixed, fifo_occupancy, greedy, greedy_occupancy, in_use_after_trims_of_any,
    in_use_after_trims_of_used, random, spare_by_root, split,
};

const OPS: [f64; 6] = [0.01, 0.07, 0.127, 0.28, 1.0, 3.0];

fn near(one: f64, other: f64, within: f64) {
    assert!((one / other - 1.0).abs() < within, "{one} and {other}");
}

#[test]
fn greedy_of_large_blocks_is_fifo_from_below() {
    for op in OPS {
        let alpha = 1.0 + op;
        let limit = fifo(alpha).unwrap();
        let of = |b| greedy(alpha, b).unwrap();
        assert!(of(64) < of(256) && of(256) < of(4096) && of(4096) < limit);
        near(of(1 << 20), limit, 1e-4);
    }
}

#[test]
fn one_choice_is_random_and_many_are_greedy() {
    for op in OPS {
        let alpha = 1.0 + op;
        for b in [1, 4, 64, 256] {
            near(choices(alpha, b, 1).unwrap(), random(alpha).unwrap(), 1e-9);
            near(
                choices(alpha, b, 10_000_000).unwrap(),
                greedy(alpha, b).unwrap(),
                1e-4,
            );
        }
        let of = |d| choices(alpha, 64, d).unwrap();
        assert!(of(1) > of(2) && of(2) > of(10) && of(10) > of(1000));
    }
}

#[test]
fn greedy_copies_nothing_once_a_block_is_always_empty() {
    // H_4 = 25/12.
    let enough = 25.0 / 12.0;
    assert!(greedy(enough - 1e-6, 4).unwrap() > 1.0);
    assert_eq!(greedy(enough + 1e-6, 4).unwrap(), 1.0);
    assert_eq!(greedy(1.01, 1).unwrap(), 1.0, "a page is valid or not");
    near(
        greedy_occupancy(4.0, 4).unwrap()[0],
        1.0 - enough / 4.0,
        1e-12,
    );
}

/// Every distribution adds up to 1, holds U pages, and loses them as fast as the host writes.
#[test]
fn occupancies_hold_the_drives_data() {
    for op in OPS {
        for b in [1, 2, 64, 256] {
            let alpha = 1.0 + op;
            let all = [
                (fifo_occupancy(alpha, b), fifo(alpha)),
                (greedy_occupancy(alpha, b), greedy(alpha, b)),
                (choices_occupancy(alpha, b, 1), random(alpha)),
                (choices_occupancy(alpha, b, 2), choices(alpha, b, 2)),
                (choices_occupancy(alpha, b, 30), choices(alpha, b, 30)),
            ];
            for (n, (shares, wa)) in all.into_iter().enumerate() {
                let (shares, wa) = (shares.unwrap(), wa.unwrap());
                assert_eq!(shares.len(), b as usize + 1);
                assert!(shares.iter().all(|&share| share >= -1e-12), "{n} {op} {b}");
                near(shares.iter().sum(), 1.0, 1e-9);
                let valid: f64 = shares.iter().zip(0..).map(|(m, i)| m * f64::from(i)).sum();
                near(valid, f64::from(b) / alpha, 1e-9);
                // Blocks that are full leave that state at λ b m_b, and enter it but for those
                // victims that are full themselves.
                let leave = alpha / wa * f64::from(b) * shares[b as usize];
                assert!(leave <= 1.0 + 1e-9, "{n} {op} {b}: {leave}");
            }
        }
    }
}

/// FIFO's distribution against its definition: binomials summed over ages.
#[test]
fn fifo_blocks_thin_out_with_age() {
    let (alpha, b) = (1.127, 16);
    let x = alpha / fifo(alpha).unwrap();
    let shares = fifo_occupancy(alpha, b).unwrap();
    let ages = 20_000;
    let mut summed = vec![0.0; b as usize + 1];
    for age in 0..ages {
        let p = (-x * (f64::from(age) + 0.5) / f64::from(ages)).exp();
        let mut ways = 1.0;
        for i in 0..=b {
            let term = ways * p.powi(i as i32) * (1.0 - p).powi((b - i) as i32);
            summed[i as usize] += term / f64::from(ages);
            ways *= f64::from(b - i) / f64::from(i + 1);
        }
    }
    for (closed, summed) in shares.iter().zip(summed) {
        assert!((closed - summed).abs() < 1e-6, "{closed} {summed}");
    }
}

#[test]
fn classes_written_alike_are_one() {
    for op in OPS {
        let alpha = 1.0 + op;
        let alike = [0.2, 0.3, 0.5].map(|share| Class {
            addresses: share,
            writes: share,
        });
        near(
            fifo_mixed(alpha, &alike).unwrap(),
            fifo(alpha).unwrap(),
            1e-12,
        );
        let unlike = fifo_mixed(alpha, &Class::hot_and_cold(0.2, 0.8)).unwrap();
        assert!(unlike > fifo(alpha).unwrap());
    }
    // Data at rest is copied for ever: with half the addresses unwritten, the others have
    // α' = (α − ½)/½ only if copying were free.
    let half = fifo_mixed(1.25, &Class::hot_and_cold(0.5, 1.0)).unwrap();
    assert!(half > fifo(1.5).unwrap());
}

#[test]
fn trims_leave_what_births_and_deaths_say() {
    for q in [0.0, 0.05, 0.2, 0.4] {
        let s = in_use_after_trims_of_used(q).unwrap();
        assert!(((1.0 - q) * (1.0 - s) - q).abs() < 1e-12);
        let s = in_use_after_trims_of_any(q).unwrap();
        assert!(((1.0 - q) * (1.0 - s) - q * s).abs() < 1e-12);
    }
    near(alpha_in_use(1.07, 0.5).unwrap(), 2.14, 1e-12);
}

#[test]
fn a_bound_on_the_rate_counts_every_microsecond() {
    let bound = RandomWriteBound {
        write_units: 16,
        pages_per_block: 100,
        writes_per_page: 2,
        program_s: 800e-6,
        read_s: 50e-6,
        erase_s: 2e-3,
        host_transfer_s: 10e-6,
        copy_transfer_s: 20e-6,
    };
    // 2 × 800 + 1 × (50 + 20) + 2/100 × 2000 + 10 = 1720 µs.
    near(bound.writes_per_s(2.0).unwrap(), 32.0 / 1720e-6, 1e-12);
}

#[test]
fn what_has_no_meaning_is_refused_by_name() {
    let refused = |result: Result<f64, OutOfDomain>, words: &str| {
        let message = result.expect_err("out of domain").to_string();
        assert!(message.contains(words), "{message}");
    };
    for alpha in [1.0, 0.5, -3.0, f64::NAN, f64::INFINITY] {
        for result in [
            fifo(alpha),
            greedy(alpha, 64),
            random(alpha),
            choices(alpha, 64, 2),
        ] {
            refused(result, "alpha");
        }
    }
    refused(greedy(1.1, 0), "pages per block is 0");
    refused(choices(1.1, 64, 0), "blocks drawn is 0");
    refused(in_use_after_trims_of_used(0.5), "share of trims is 0.5");
    refused(in_use_after_trims_of_any(1.0), "share of trims is 1");
    refused(alpha_in_use(1.1, 0.0), "share in use");
    refused(fifo_mixed(1.1, &Class::hot_and_cold(0.0, 0.5)), "addresses");
    refused(fifo_mixed(1.1, &Class::hot_and_cold(0.5, 1.5)), "writes");
    refused(fifo_mixed(1.1, &[]), "sum of the shares of addresses is 0");
    let two = Class::hot_and_cold(0.2, 0.8);
    refused(
        split(1.1, &two, &[1.0], fifo),
        "number of shares of spare area",
    );
    refused(split(1.1, &two, &[0.5, 0.6], fifo), "spare area is 1.1");
    refused(split(1.1, &two, &[1.0, 0.0], fifo), "alpha");
    assert!(spare_by_root(&[two[0]]).is_err());
    assert!(greedy_occupancy(1.0, 64).is_err() && fifo_occupancy(1.1, 0).is_err());
}
