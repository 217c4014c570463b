//! Finding the number at which the model gives what was measured.

/// The relative error of the value at which a number counts as found.
const CLOSE: f64 = 2e-3;

/// Values that are tried at most; of what goes in a line, three are enough.
const TRIES: u32 = 14;

/// By how much more than at the start a number is tried where it decides nothing.
const MOST_TIMES: f64 = 50.0;

/// A change of the value that is none, in what was measured.
const FLAT: f64 = 1e-4;

/// The end of a search for a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Found {
    /// The number at which the value is as wanted.
    At(f64),
    /// The value at the least that the number can be, which is still more than was measured.
    TooMuch(f64),
    /// The value, which does not depend on the number.
    Flat(f64),
    /// No number was found within the tries.
    Lost,
}

/// Finds the number at which `value`, which grows with it, is `wanted`: from `start` on by the slope between two
/// values, above `least`.
pub fn solve<E>(
    (start, least): (f64, f64),
    wanted: f64,
    mut value: impl FnMut(f64) -> Result<f64, E>,
) -> Result<Found, E> {
    let is_there = |got: f64| (got / wanted - 1.0).abs() < CLOSE;
    let mut before = (start, value(start)?);
    if is_there(before.1) {
        return Ok(Found::At(start));
    }
    // In proportion, or by the whole difference, of which one is near for what is a rate or a sum.
    let proportion = start * wanted / before.1;
    let mut next = match proportion > least {
        true => proportion,
        false => (start + wanted - before.1).max(least),
    };
    for _ in 0..TRIES {
        if next == before.0 {
            return Ok(Found::TooMuch(before.1));
        }
        let now = (next, value(next)?);
        if is_there(now.1) {
            return Ok(Found::At(now.0));
        }
        let change = now.1 - before.1;
        if change.abs() < FLAT * wanted {
            // More of it may come to decide; less of it does not.
            if now.1 > wanted || now.0 > MOST_TIMES * start {
                return Ok(Found::Flat(now.1));
            }
            (before, next) = (now, 2.0 * now.0.max(before.0));
            continue;
        }
        let slope = change / (now.0 - before.0);
        next = (now.0 + (wanted - now.1) / slope).max(least);
        before = now;
    }
    Ok(Found::Lost)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(start: f64, wanted: f64, of: impl Fn(f64) -> f64) -> Found {
        solve((start, 0.5), wanted, |at| Ok::<f64, ()>(of(at))).unwrap()
    }

    #[test]
    fn what_goes_in_a_line_is_found_and_what_does_not_is_said() {
        let near = |found: Found, at: f64| match found {
            Found::At(x) => assert!((x / at - 1.0).abs() < 5e-3, "{x}, not {at}"),
            other => panic!("{other:?}"),
        };
        near(found(10.0, 30.0, |x| 20.0 + x), 10.0);
        near(found(100.0, 30.0, |x| 20.0 + 2.0 * x), 5.0);
        near(found(1000.0, 0.5, |x| (x + 40.0) / 1280.0), 600.0);
        // Bent where something else decides.
        near(found(100.0, 70.0, |x| x.max(60.0) + 0.01 * x), 69.3);
        // Where nothing changes until there is much of it.
        near(found(10.0, 100.0, |x: f64| x.max(80.0)), 100.0);
        assert_eq!(found(10.0, 30.0, |_| 20.0), Found::Flat(20.0));
        assert_eq!(found(10.0, 19.0, |x| 20.0 + x), Found::TooMuch(20.5));
        assert_eq!(found(10.0, 19.0, |_| 20.0), Found::Flat(20.0));
    }
}
