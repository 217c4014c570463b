//! Comparisons of figures, as `reference/claim-checks.toml` writes them.

use super::check::Sample;
use super::themes::{falls, list, mean, near, rises, row, short, spread};

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
        match reader.peek() {
            "rises" | "falls" => {
                let order = if reader.next() == "rises" {
                    rises
                } else {
                    falls
                };
                let range = reader.range()?;
                reader.ended(order(&figures(range)))
            }
            "each" | "pairs" => {
                let at_a_time = if reader.next() == "each" { 1 } else { 2 };
                let (samples, metric) = reader.range()?;
                reader.expect(":")?;
                let mut all = true;
                for samples in samples.chunks(at_a_time) {
                    let all_samples = if at_a_time == 1 {
                        self.samples
                    } else {
                        samples
                    };
                    let each = Reader {
                        measured: Measured {
                            samples: all_samples,
                            metric,
                        },
                        each: samples.first(),
                        ..reader.clone()
                    };
                    all &= each.comparison()?;
                }
                Ok(all)
            }
            _ => reader.comparison(),
        }
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
                "list" | "row" => {
                    let names = reader.next() == "list";
                    let (samples, metric) = reader.range()?;
                    reader.ended(match names {
                        true => list(samples, metric, ""),
                        false => row(&figures((samples, metric)), ""),
                    })?
                }
                _ => {
                    let value = reader.sum()?;
                    reader.ended(short(value))?
                }
            };
            rest = after;
        }
        Ok(said + rest)
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
        loop {
            match self.peek() {
                "+" => {
                    self.next();
                    value += self.product()?;
                }
                "-" => {
                    self.next();
                    value -= self.product()?;
                }
                _ => return Ok(value),
            }
        }
    }

    fn product(&mut self) -> Result<f64, String> {
        let mut value = self.factor()?;
        loop {
            match self.peek() {
                "*" => {
                    self.next();
                    value *= self.factor()?;
                }
                "/" => {
                    self.next();
                    value /= self.factor()?;
                }
                _ => return Ok(value),
            }
        }
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
        let least = |values: &[f64]| values.iter().copied().fold(f64::NAN, f64::min);
        let most = |values: &[f64]| values.iter().copied().fold(f64::NAN, f64::max);
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
            ("spread", values) => Ok(spread(values)),
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
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let end = match first {
            '#' => rest[1..]
                .find(|c| !is_name(c) && c != '.')
                .map_or(rest.len(), |end| end + 1),
            c if c.is_ascii_digit() => {
                let whole = rest
                    .find(|c: char| !c.is_ascii_digit())
                    .unwrap_or(rest.len());
                match rest[whole..].strip_prefix('.') {
                    Some(after) if after.starts_with(|c: char| c.is_ascii_digit()) => {
                        let digits = after.find(|c: char| !c.is_ascii_digit());
                        whole + 1 + digits.unwrap_or(after.len())
                    }
                    _ => whole,
                }
            }
            c if is_name(c) => rest.find(|c| !is_name(c)).unwrap_or(rest.len()),
            _ if ["..", ">=", "<=", "=="]
                .iter()
                .any(|sign| rest.starts_with(sign)) =>
            {
                2
            }
            c => c.len_utf8(),
        };
        words.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<Sample> {
        let sample = |(iops, wa): (f64, f64)| Sample {
            drive: "d".to_owned(),
            metrics: [("iops".to_owned(), iops), ("wa".to_owned(), wa)].into(),
            ..Sample::default()
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
            ("rises wa", true),
            ("falls 2..3", true),
            ("#2 > 1.9 * #1", true),
            ("#2 > 2.1 * #1", false),
            ("#4.wa / #1.wa near 8 within 0.01", true),
            ("#3 near 60 within 0.1", false),
            ("each 1..2: # >= #1", true),
            ("each: # >= #1", false),
            ("pairs: #1 < #2", true),
            ("pairs: #2 < #1", false),
            ("spread(1..2) == 2", true),
            ("max(#1, #3) - min(wa 2..4) == 98", true),
            ("abs(#3 - #1) <= 10 * (2 + 3)", true),
            ("mean(all) < 112.6", true),
        ] {
            assert_eq!(read(|measured| measured.holds(text)), Ok(holds), "{text}");
        }
    }

    #[test]
    fn a_text_has_its_figures() {
        let said = read(|measured| measured.says("{list 1..2} IOPS; {row wa}; {#2 / #3} times"));
        assert_eq!(said.unwrap(), "d 100, d 200 IOPS; 1, 2, 4, 8; 4 times");
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
        ] {
            let error = read(|measured| measured.holds(text)).unwrap_err();
            assert!(error.contains(text), "{error}");
        }
        assert!(read(|measured| measured.says("{#1")).is_err());
    }
}
