//! Comparisons of figures, as `reference/claim-checks.toml` writes them.

use crate::sample::Sample;
use crate::words::{falls, least, mean, most, near, rises, row, short};

/// What comparisons are of: the samples of a check, and the figure of each that is meant if none is named.
#[derive(Clone, Copy)]
pub struct Measured<'a> {
    pub samples: &'a [Sample],
    pub metric: &'a str,
}

/// Samples of a range, and a figure of each.
type Range<'a> = (&'a [Sample], &'a str);

impl<'a> Measured<'a> {
    /// Whether a comparison holds.
    ///
    /// # Errors
    /// What cannot be read.
    pub fn holds(self, text: &'a str) -> Result<bool, String> {
        let mut reader = Reader::new(self, text);
        let word = reader.peek();
        if let "rises" | "falls" = word {
            reader.next();
            let order = if word == "rises" { rises } else { falls };
            let range = reader.range()?;
            return reader.ended(order(&figures(range)));
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
    /// What cannot be read.
    pub fn says(self, text: &'a str) -> Result<String, String> {
        let mut said = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let Some((inside, after)) = after.split_once('}') else {
                return Err(format!("`{text}` has a {{ without a }}"));
            };
            said += before;
            let mut reader = Reader::new(self, inside);
            said += &match reader.peek() {
                word @ ("list" | "row" | "drops") => {
                    reader.next();
                    let (samples, metric) = reader.range()?;
                    let one = |sample: &Sample| match word {
                        "list" => format!("{} {}", sample.run.drive, short(sample.get(metric))),
                        "row" => short(sample.get(metric)),
                        _ => drop(sample),
                    };
                    let all: Vec<String> = samples.iter().map(one).collect();
                    reader.ended(all.join(", "))?
                }
                _ => {
                    let value = |mut reader: Reader<'_>| {
                        let value = reader.sum()?;
                        reader.ended(value)
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

/// When the rate of a drive drops, in words.
fn drop(sample: &Sample) -> String {
    let drive = &sample.run.drive;
    match sample.drop() {
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
    measured: Measured<'a>,
    /// What `#` alone is a figure of.
    each: Option<&'a Sample>,
    text: &'a str,
    words: Vec<&'a str>,
    at: usize,
}

impl<'a> Reader<'a> {
    fn new(measured: Measured<'a>, text: &'a str) -> Self {
        Reader {
            measured,
            each: None,
            text,
            words: words(text),
            at: 0,
        }
    }

    /// The next word; nothing at the end.
    fn peek(&self) -> &'a str {
        self.words.get(self.at).copied().unwrap_or_default()
    }

    fn next(&mut self) -> &'a str {
        let word = self.peek();
        self.at += 1;
        word
    }

    fn expect(&mut self, word: &str) -> Result<(), String> {
        match self.next() {
            next if next == word => Ok(()),
            next => Err(self.wrong(&format!("`{word}` belongs where `{next}` is"))),
        }
    }

    fn wrong(&self, why: &str) -> String {
        format!("`{}`: {why}", self.text)
    }

    /// A result, if nothing follows.
    fn ended<T>(&self, result: T) -> Result<T, String> {
        match self.peek() {
            "" => Ok(result),
            word => Err(self.wrong(&format!("nothing belongs where `{word}` is"))),
        }
    }

    /// What follows, once for each group of samples that it is to be read for: once if it names none.
    fn groups(&mut self) -> Result<Vec<Reader<'a>>, String> {
        let size = match self.peek() {
            "each" | "most" => 1,
            "pairs" => 2,
            "by" => {
                self.next();
                let size = self.peek().parse::<usize>().ok().filter(|&size| size > 0);
                size.ok_or_else(|| self.wrong("groups are of a number of samples"))?
            }
            _ => return Ok(vec![self.clone()]),
        };
        self.next();
        let (samples, metric) = self.range()?;
        self.expect(":")?;
        let reader = |group: &'a [Sample]| Reader {
            measured: Measured {
                samples: if size == 1 {
                    self.measured.samples
                } else {
                    group
                },
                metric,
            },
            each: group.first(),
            ..self.clone()
        };
        Ok(samples.chunks(size).map(reader).collect())
    }

    fn comparison(mut self) -> Result<bool, String> {
        let left = self.sum()?;
        let how = self.next();
        let right = self.sum()?;
        let holds = match how {
            ">" => left > right,
            "<" => left < right,
            ">=" => left >= right,
            "<=" => left <= right,
            "==" => left == right,
            "near" => {
                self.expect("within")?;
                near(left, right, self.sum()?)
            }
            _ => return Err(self.wrong(&format!("`{how}` compares nothing"))),
        };
        self.ended(holds)
    }

    fn sum(&mut self) -> Result<f64, String> {
        let mut value = self.product()?;
        while let sign @ ("+" | "-") = self.peek() {
            self.next();
            let next = self.product()?;
            value += if sign == "+" { next } else { -next };
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<f64, String> {
        let mut value = self.factor()?;
        while let sign @ ("*" | "/") = self.peek() {
            self.next();
            let next = self.factor()?;
            value = if sign == "*" {
                value * next
            } else {
                value / next
            };
        }
        Ok(value)
    }

    fn factor(&mut self) -> Result<f64, String> {
        let word = self.next();
        if let Some(figure) = word.strip_prefix('#') {
            return self.figure(figure);
        }
        if word == "(" {
            let value = self.sum()?;
            self.expect(")")?;
            return Ok(value);
        }
        if self.peek() == "(" {
            return self.function(word);
        }
        word.parse()
            .map_err(|_| self.wrong(&format!("`{word}` is no number")))
    }

    /// `2.wa`: a figure of a sample, counted from 1; without a number, of the one at hand.
    fn figure(&self, text: &str) -> Result<f64, String> {
        let (number, metric) = text.split_once('.').unwrap_or((text, self.measured.metric));
        let sample = match number {
            "" => self.each,
            _ => {
                let index = number.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
                index.and_then(|index| self.measured.samples.get(index))
            }
        };
        let sample = sample.ok_or_else(|| self.wrong(&format!("there is no sample #{number}")))?;
        Ok(sample.get(metric))
    }

    fn function(&mut self, name: &str) -> Result<f64, String> {
        self.expect("(")?;
        let values = match self.is_range() {
            true => figures(self.range()?),
            false => {
                let mut values = vec![self.sum()?];
                while self.peek() == "," {
                    self.next();
                    values.push(self.sum()?);
                }
                values
            }
        };
        self.expect(")")?;
        match (name, values.as_slice()) {
            ("abs", [value]) => Ok(value.abs()),
            ("min", values) => Ok(least(values)),
            ("max", values) => Ok(most(values)),
            ("mean", values) => Ok(mean(values)),
            ("spread", values) => Ok(most(values) / least(values)),
            ("geomean", values) => Ok(values
                .iter()
                .product::<f64>()
                .powf(1.0 / values.len() as f64)),
            _ => Err(self.wrong(&format!("`{name}` of that is unknown"))),
        }
    }

    /// Whether a range comes next, and no figure.
    fn is_range(&self) -> bool {
        let follows = self.words.get(self.at + 1).copied().unwrap_or_default();
        let begins = self.peek().starts_with(|c: char| c.is_alphabetic());
        follows == ".." || (begins && follows != "(")
    }

    /// `2..4`, `wa 2..4`, `all` or nothing, which is all.
    fn range(&mut self) -> Result<Range<'a>, String> {
        let mut metric = self.measured.metric;
        let begins = self.peek().starts_with(|c: char| c.is_alphabetic());
        if begins && self.peek() != "all" {
            metric = self.next();
        }
        let samples = self.measured.samples;
        if self.peek() == "all" {
            self.next();
            return Ok((samples, metric));
        }
        let Ok(first) = self.peek().parse::<usize>() else {
            return Ok((samples, metric));
        };
        self.next();
        self.expect("..")?;
        let last = self.next().parse::<usize>().unwrap_or(0);
        let range = first
            .checked_sub(1)
            .and_then(|first| samples.get(first..last));
        let range =
            range.ok_or_else(|| self.wrong(&format!("there are {} samples", samples.len())))?;
        Ok((range, metric))
    }
}

/// A text in words: numbers, names, figures with their `#`, and signs.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '#' => 1 + name(&rest[1..]),
            c if c.is_ascii_digit() => {
                let whole = digits(rest);
                match rest[whole..].strip_prefix('.').map_or(0, digits) {
                    0 => whole,
                    part => whole + 1 + part,
                }
            }
            c if c.is_alphabetic() => name(rest),
            _ => {
                let sign = ["..", ">=", "<=", "=="]
                    .iter()
                    .find(|sign| rest.starts_with(**sign));
                sign.map_or(first.len_utf8(), |sign| sign.len())
            }
        };
        words.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    words
}

fn digits(text: &str) -> usize {
    text.find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len())
}

/// How long the name is that a text begins with: it may have dots and, at its end, a part of a series.
fn name(text: &str) -> usize {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let end = text.find(|c| !is_name(c)).unwrap_or(text.len());
    match text[end..].starts_with('[') {
        true => text.find(']').map_or(text.len(), |bracket| bracket + 1),
        false => end,
    }
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
