//! The one grammar of expressions over figures: sums, products, brackets, and functions of several values, word by word.

use super::statistics::{least, mean, most};

/// A text in words, and how far it has been read.
#[derive(Clone)]
pub struct Words<'a> {
    text: &'a str,
    words: Vec<&'a str>,
    at: usize,
}

/// The values of what an expression names.
pub trait Scope<'a> {
    /// The value of a name, which may begin with `#`.
    ///
    /// # Errors
    /// When there is nothing of the name.
    fn value(&self, name: &str) -> Result<f64, String>;

    /// Takes the words of a list of values, where one comes next: the arguments of a function.
    ///
    /// # Errors
    /// When there is no such list.
    fn list(&self, _words: &mut Words<'a>) -> Result<Option<Vec<f64>>, String> {
        Ok(None)
    }
}

/// The value of a whole text.
///
/// # Errors
/// When it is no expression, or names what there is not.
pub fn value<'a>(text: &'a str, scope: &dyn Scope<'a>) -> Result<f64, String> {
    let mut words = Words::of(text);
    let value = words.sum(scope)?;
    words.ended(value)
}

impl<'a> Words<'a> {
    /// The words of a text: numbers, names, figures with their `#`, and signs.
    #[must_use]
    pub fn of(text: &'a str) -> Words<'a> {
        Words {
            text,
            words: split(text),
            at: 0,
        }
    }

    /// The next word; nothing at the end.
    #[must_use]
    pub fn peek(&self) -> &'a str {
        self.words.get(self.at).copied().unwrap_or_default()
    }

    /// The word behind the next; nothing at the end.
    #[must_use]
    pub fn peek_behind(&self) -> &'a str {
        self.words.get(self.at + 1).copied().unwrap_or_default()
    }

    /// Takes the next word; nothing at the end.
    pub fn take(&mut self) -> &'a str {
        let word = self.peek();
        self.at += 1;
        word
    }

    /// Takes the next word, which has to be this one.
    ///
    /// # Errors
    /// When it is another.
    pub fn expect(&mut self, word: &str) -> Result<(), String> {
        match self.take() {
            next if next == word => Ok(()),
            next => Err(self.wrong(&format!("`{word}` belongs where `{next}` is"))),
        }
    }

    /// Returns the message that the text cannot be read for a reason, with the text.
    #[must_use]
    pub fn wrong(&self, why: &str) -> String {
        format!("`{}`: {why}", self.text)
    }

    /// A result, if nothing follows.
    ///
    /// # Errors
    /// When something does.
    pub fn ended<T>(&self, result: T) -> Result<T, String> {
        match self.peek() {
            "" => Ok(result),
            word => Err(self.wrong(&format!("nothing belongs where `{word}` is"))),
        }
    }

    /// Reads a sum, and works it out.
    ///
    /// # Errors
    /// When none comes next, or it names what there is not.
    pub fn sum(&mut self, scope: &dyn Scope<'a>) -> Result<f64, String> {
        let mut value = self.product(scope)?;
        while let sign @ ("+" | "-") = self.peek() {
            self.take();
            let next = self.product(scope)?;
            value += if sign == "+" { next } else { -next };
        }
        Ok(value)
    }

    fn product(&mut self, scope: &dyn Scope<'a>) -> Result<f64, String> {
        let mut value = self.factor(scope)?;
        while let sign @ ("*" | "/") = self.peek() {
            self.take();
            let next = self.factor(scope)?;
            value = match sign {
                "*" => value * next,
                _ => value / next,
            };
        }
        Ok(value)
    }

    fn factor(&mut self, scope: &dyn Scope<'a>) -> Result<f64, String> {
        let word = self.take();
        if word == "(" {
            let value = self.sum(scope)?;
            self.expect(")")?;
            return Ok(value);
        }
        if self.peek() == "(" {
            return self.function(word, scope);
        }
        if word.starts_with(|c: char| c == '#' || c.is_alphabetic()) {
            return scope.value(word).map_err(|why| self.wrong(&why));
        }
        word.parse()
            .map_err(|_| self.wrong(&format!("`{word}` is no number")))
    }

    fn function(&mut self, name: &str, scope: &dyn Scope<'a>) -> Result<f64, String> {
        self.expect("(")?;
        let values = match scope.list(self)? {
            Some(values) => values,
            None => {
                let mut values = vec![self.sum(scope)?];
                while self.peek() == "," {
                    self.take();
                    values.push(self.sum(scope)?);
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
}

fn split(text: &str) -> Vec<&str> {
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

/// Returns the length in bytes of the name that a text begins with: it may have dots and, at its end, a part of a
/// series.
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

    struct Two;

    impl Scope<'_> for Two {
        fn value(&self, name: &str) -> Result<f64, String> {
            match name {
                "two" => Ok(2.0),
                other => Err(format!("there is no {other}")),
            }
        }
    }

    #[test]
    fn sums_products_brackets_and_functions_are_worked_out() {
        for (text, right) in [
            ("1 + two * 3 - 4 / two", 5.0),
            ("(1 + two) * 0.5", 1.5),
            ("max(1, two, 0.5) - min(two, 3)", 0.0),
            ("geomean(two, 8)", 4.0),
            ("abs(1 - two)", 1.0),
        ] {
            assert_eq!(value(text, &Two), Ok(right), "{text}");
        }
        for text in ["", "two two", "three", "(two", "two +", "sum(two)"] {
            assert!(value(text, &Two).unwrap_err().contains(text), "{text}");
        }
    }
}
