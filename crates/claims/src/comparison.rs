//! Comparisons of figures, as `reference/claim-checks.toml` writes them.

use crate::sample::Sample;
use crate::words::{falls, near, rises, row, short};
use ftlab_result::quantity::drops;
use ftlab_result::quantity::expression::{Scope, Words};

/// The samples that comparisons are of, and the figure of each that is meant if none is named.
#[derive(Clone, Copy)]
pub struct Measured<'a> {
    pub samples: &'a [Sample],
    pub metric: &'a str,
}

/// Samples of a range, and a figure of each.
type Range<'a> = (&'a [Sample], &'a str);

impl<'a> Measured<'a> {
    /// Decides if a comparison holds.
    ///
    /// # Errors
    /// A word or a figure that cannot be read.
    pub fn holds(self, text: &'a str) -> Result<bool, String> {
        let mut reader = Reader::new(self, text);
        let word = reader.words.peek();
        if let "rises" | "falls" = word {
            reader.words.take();
            let order = if word == "rises" { rises } else { falls };
            let range = reader.range()?;
            return reader.words.ended(order(&figures(range)));
        }
        let held: Result<Vec<bool>, String> = (reader.groups()?.into_iter())
            .map(Reader::comparison)
            .collect();
        let held = held?;
        let holds = held.iter().filter(|&&holds| holds).count();
        Ok(match word {
            "most" => 2 * holds > held.len(),
            _ => holds == held.len(),
        })
    }

    /// A text with its figures.
    ///
    /// # Errors
    /// A word or a figure that cannot be read.
    pub fn says(self, text: &'a str) -> Result<String, String> {
        let mut said = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((inside, after)) = after.split_once('}') else {
                return Err(format!("`{text}` has a {{ without a }}"));
            };
            said += before;
            let mut reader = Reader::new(self, inside);
            // A list or a row prints each drive's figure; any other expression prints its values.
            said += &match reader.words.peek() {
                word @ ("list" | "row" | "drops") => {
                    reader.words.take();
                    let (samples, metric) = reader.range()?;
                    let one = |sample: &Sample| match word {
                        "list" => format!("{} {}", sample.run.drive, short(sample.get(metric))),
                        "row" => short(sample.get(metric)),
                        _ => drop(sample),
                    };
                    let all: Vec<String> = samples.iter().map(one).collect();
                    reader.words.ended(all.join(", "))?
                }
                _ => {
                    let value = |mut reader: Reader<'_>| {
                        let value = reader.sum()?;
                        reader.words.ended(value)
                    };
                    let values: Result<Vec<f64>, String> =
                        reader.groups()?.into_iter().map(value).collect();
                    row(&values?)
                }
            };
            rest = after;
        }
        Ok(said + rest)
    }
}

/// Returns the time and the writes at which the rate of a drive drops, in words.
fn drop(sample: &Sample) -> String {
    let drive = &sample.run.drive;
    match drops::first(&sample.run) {
        Some((seconds, gb)) => format!("{drive} after {seconds} s and {} GB", short(gb)),
        None => format!("{drive} not at all"),
    }
}

fn figures((samples, metric): Range<'_>) -> Vec<f64> {
    samples.iter().map(|sample| sample.get(metric)).collect()
}

/// Reads a comparison word by word, and works it out.
#[derive(Clone)]
struct Reader<'a> {
    of: Of<'a>,
    words: Words<'a>,
}

/// The samples that a comparison names.
#[derive(Clone, Copy)]
struct Of<'a> {
    measured: Measured<'a>,
    /// The sample that `#` alone is a figure of.
    each: Option<&'a Sample>,
}

impl<'a> Reader<'a> {
    fn new(measured: Measured<'a>, text: &'a str) -> Self {
        Reader {
            of: Of {
                measured,
                each: None,
            },
            words: Words::of(text),
        }
    }

    fn range(&mut self) -> Result<Range<'a>, String> {
        self.of.range(&mut self.words)
    }

    fn sum(&mut self) -> Result<f64, String> {
        self.words.sum(&self.of)
    }

    /// Readers of what follows, one for each group of samples that it is to be read for: one if it names none.
    fn groups(&mut self) -> Result<Vec<Reader<'a>>, String> {
        let size = match self.words.peek() {
            "each" | "most" => 1,
            "pairs" => 2,
            "by" => {
                self.words.take();
                let size = self.words.peek().parse::<usize>().ok();
                size.filter(|&size| size > 0)
                    .ok_or_else(|| self.words.wrong("groups are of a number of samples"))?
            }
            _ => return Ok(vec![self.clone()]),
        };
        self.words.take();
        let (samples, metric) = self.range()?;
        self.words.expect(":")?;
        let reader = |group: &'a [Sample]| Reader {
            of: Of {
                measured: Measured {
                    samples: match size {
                        1 => self.of.measured.samples,
                        _ => group,
                    },
                    metric,
                },
                each: group.first(),
            },
            words: self.words.clone(),
        };
        Ok(samples.chunks(size).map(reader).collect())
    }

    fn comparison(mut self) -> Result<bool, String> {
        let left = self.sum()?;
        let how = self.words.take();
        let right = self.sum()?;
        let holds = match how {
            ">" => left > right,
            "<" => left < right,
            ">=" => left >= right,
            "<=" => left <= right,
            "==" => left == right,
            "near" => {
                self.words.expect("within")?;
                near(left, right, self.sum()?)
            }
            _ => return Err(self.words.wrong(&format!("`{how}` compares nothing"))),
        };
        self.words.ended(holds)
    }
}

impl<'a> Of<'a> {
    /// `2..4`, `wa 2..4`, `all` or nothing, which is all.
    fn range(self, words: &mut Words<'a>) -> Result<Range<'a>, String> {
        let Measured {
            samples,
            mut metric,
        } = self.measured;
        if begins_with_letter(words.peek()) && words.peek() != "all" {
            metric = words.take();
        }
        if words.peek() == "all" {
            words.take();
            return Ok((samples, metric));
        }
        let Ok(first) = words.peek().parse::<usize>() else {
            return Ok((samples, metric));
        };
        words.take();
        words.expect("..")?;
        let last = words.take().parse::<usize>().unwrap_or(0);
        let range = first
            .checked_sub(1)
            .and_then(|first| samples.get(first..last));
        let range =
            range.ok_or_else(|| words.wrong(&format!("there are {} samples", samples.len())))?;
        Ok((range, metric))
    }
}

impl<'a> Scope<'a> for Of<'a> {
    /// `#2.wa`: a figure of a sample, counted from 1; without a number, of the one at hand.
    fn value(&self, name: &str) -> Result<f64, String> {
        let text = name
            .strip_prefix('#')
            .ok_or_else(|| format!("`{name}` is no number"))?;
        let (number, metric) = text.split_once('.').unwrap_or((text, self.measured.metric));
        let sample = match number {
            "" => self.each,
            _ => {
                let index = number.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
                index.and_then(|index| self.measured.samples.get(index))
            }
        };
        let sample = sample.ok_or_else(|| format!("there is no sample #{number}"))?;
        Ok(sample.get(metric))
    }

    fn list(&self, words: &mut Words<'a>) -> Result<Option<Vec<f64>>, String> {
        let follows = words.peek_behind();
        let is_range = follows == ".." || begins_with_letter(words.peek()) && follows != "(";
        match is_range {
            true => Ok(Some(figures(self.range(words)?))),
            false => Ok(None),
        }
    }
}

fn begins_with_letter(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_result::Run;

    fn samples() -> Vec<Sample> {
        let sample = |(iops, wa): (f64, f64)| {
            Sample::of(Run {
                drive: "d".to_owned(),
                metrics: [("iops".to_owned(), iops), ("map.wa".to_owned(), wa)].into(),
                series_ios: vec![1, 2, 3, iops as u64],
                ..Run::default()
            })
        };
        [(100.0, 1.0), (200.0, 2.0), (50.0, 4.0), (100.0, 8.0)]
            .map(sample)
            .to_vec()
    }

    fn read<T>(read: impl Fn(Measured<'_>) -> T) -> T {
        let samples = samples();
        read(Measured {
            samples: &samples,
            metric: "iops",
        })
    }

    #[test]
    fn comparisons_hold_of_what_they_name() {
        for (text, holds) in [
            ("rises 1..2", true),
            ("rises", false),
            ("rises map.wa", true),
            ("falls 2..3", true),
            ("#2 > 1.9 * #1", true),
            ("#2 > 2.1 * #1", false),
            ("#4.map.wa / #1.map.wa near 8 within 0.01", true),
            ("#3 near 60 within 0.1", false),
            ("each 1..2: # >= #1", true),
            ("each: # >= #1", false),
            ("pairs: #1 < #2", true),
            ("pairs: #2 < #1", false),
            ("by 3 1..3: #2 > max(#1, #3)", true),
            ("most 2..4: # < #2", true),
            ("most: # > #1", false),
            ("falls mean_iops[..2]", false),
            ("each: #.most_iops[-2..] == #", true),
            ("geomean(#1, #2, #4.map.wa) near 54.288 within 0.001", true),
            ("spread(1..2) == 2", true),
            ("max(#1, #3) - min(map.wa 2..4) == 98", true),
            ("abs(#3 - #1) <= 10 * (2 + 3)", true),
            ("mean(all) < 112.6", true),
        ] {
            assert_eq!(read(|measured| measured.holds(text)), Ok(holds), "{text}");
        }
    }

    #[test]
    fn a_text_has_its_figures() {
        let said = read(|measured| {
            measured.says("{list 1..2} IOPS; {row map.wa}; {pairs: #1 / #2} times")
        });
        assert_eq!(
            said.unwrap(),
            "d 100, d 200 IOPS; 1, 2, 4, 8; 0.5, 0.5 times"
        );
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        for text in [
            "#5 > 1",
            "#1 1",
            "#1 > ",
            "rises 3..9",
            "#1 near 3",
            "sum(1..2) > 1",
            "#1 > 1 2",
            "by x: #1 > 1",
        ] {
            let error = read(|measured| measured.holds(text)).unwrap_err();
            assert!(error.contains(text), "{error}");
        }
        assert!(read(|measured| measured.says("{#1")).is_err());
    }
}
