//! Formulas, as C's headers and the tables of this crate have them: numbers, names, functions and operators.

use crate::ImportError;

/// Meanings of the names in a formula.
pub trait Names {
    /// The number of a name.
    fn value(&mut self, name: &str) -> Result<f64, ImportError>;
    /// The function of a name, if it is one.
    fn function(&self, name: &str) -> Option<fn(&[f64]) -> f64>;
    /// The error of a formula that cannot be read.
    fn wrong(&self, why: &str) -> ImportError;
    /// True if a quotient loses its fraction, as it does in C.
    const DIVIDES_WHOLE: bool;
}

/// Operators, those that bind least first.
const OPERATORS: [&[&str]; 4] = [
    &["==", "!=", "<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// Brackets in brackets, and definitions that lead to others: deeper than any that mean something.
pub const DEEPEST: u32 = 32;

/// The number of a formula that stands `depth` definitions deep.
///
/// # Errors
/// When it is no formula, has a name without a value, or is too deep.
pub fn worked_out<N: Names>(names: &mut N, text: &str, depth: u32) -> Result<f64, ImportError> {
    let mut formula = Formula {
        names,
        rest: text,
        depth,
    };
    let value = formula.level(0)?;
    match formula.rest.trim() {
        "" => Ok(value),
        left => {
            let why = format!("`{text}`: there is something behind the number: `{left}`");
            Err(names.wrong(&why))
        }
    }
}

/// A formula being read.
struct Formula<'a, N> {
    names: &'a mut N,
    rest: &'a str,
    depth: u32,
}

impl<N: Names> Formula<'_, N> {
    fn takes(&mut self, sign: &str) -> bool {
        let after = self.rest.trim_start().strip_prefix(sign);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    /// Operands with the operators of a level, or of those that bind more.
    fn level(&mut self, level: usize) -> Result<f64, ImportError> {
        let Some(operators) = OPERATORS.get(level) else {
            return self.factor();
        };
        let mut value = self.level(level + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.takes(operator)) {
            let by = self.level(level + 1)?;
            value = self.applied(operator, value, by)?;
        }
        Ok(value)
    }

    fn applied(&self, operator: &str, value: f64, by: f64) -> Result<f64, ImportError> {
        let is_shift = matches!(operator, "<<" | ">>");
        let is_count = (0.0..64.0).contains(&by) && by.fract() == 0.0 && value.fract() == 0.0;
        if is_shift && !is_count {
            return Err(self.names.wrong("it shifts by what is no number of bits"));
        }
        if matches!(operator, "/" | "%") && by == 0.0 {
            return Err(self.names.wrong("it divides by 0"));
        }
        let truth = |holds: bool| f64::from(u8::from(holds));
        Ok(match operator {
            "==" => truth(value == by),
            "!=" => truth(value != by),
            "<=" => truth(value <= by),
            ">=" => truth(value >= by),
            "<" => truth(value < by),
            ">" => truth(value > by),
            "<<" => value * by.exp2(),
            ">>" => (value / by.exp2()).floor(),
            "+" => value + by,
            "-" => value - by,
            "*" => value * by,
            "/" if N::DIVIDES_WHOLE => (value / by).trunc(),
            "/" => value / by,
            _ => value % by,
        })
    }

    fn factor(&mut self) -> Result<f64, ImportError> {
        if self.depth > DEEPEST {
            return Err(self.names.wrong("it is too deep"));
        }
        if self.takes("-") {
            self.depth += 1;
            let value = -self.factor()?;
            self.depth -= 1;
            return Ok(value);
        }
        if self.takes("(") {
            return Ok(self.in_brackets()?[0]);
        }
        // A name may hold a dot, between section and key, and begin with `~`, as names in tables do.
        let rest = self.rest.trim_start();
        let end = rest
            .find(|c: char| !c.is_alphanumeric() && !"_.~".contains(c))
            .unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        self.rest = after;
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            let number = number(word).filter(|number| number.is_finite());
            return number.ok_or_else(|| self.names.wrong(&format!("`{word}` is no number")));
        }
        match self.names.function(word) {
            Some(function) if self.takes("(") => Ok(function(&self.in_brackets()?)),
            Some(_) => Err(self
                .names
                .wrong(&format!("{word} needs a number in brackets"))),
            None if word.is_empty() => {
                let why = format!(
                    "`{}` is neither a number nor defined before",
                    self.rest.trim()
                );
                Err(self.names.wrong(&why))
            }
            None => self.names.value(word),
        }
    }

    /// The numbers behind an opening bracket, and the closing one.
    fn in_brackets(&mut self) -> Result<Vec<f64>, ImportError> {
        self.depth += 1;
        let mut values = vec![self.level(0)?];
        while self.takes(",") {
            values.push(self.level(0)?);
        }
        self.depth -= 1;
        match self.takes(")") {
            true => Ok(values),
            false => Err(self.names.wrong("a bracket is not closed")),
        }
    }
}

/// A number as C writes it.
fn number(word: &str) -> Option<f64> {
    let digits = word.trim_end_matches(['u', 'l', 'U', 'L']);
    let hexadecimal = digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"));
    match hexadecimal {
        Some(digits) => u64::from_str_radix(digits, 16).ok().map(|n| n as f64),
        None => digits.parse().ok(),
    }
}
