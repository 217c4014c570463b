//! A table, column by column.

use std::collections::BTreeMap;

/// Columns of one length, under a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Its name, for files.
    pub name: &'static str,
    /// Its columns, all of one length.
    pub columns: Vec<Column>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its heading; a unit stands last in it.
    pub name: String,
    /// The cells, from the first row on.
    pub cells: Cells,
}

/// The cells of a column, all of one kind; `None` where there is nothing to say.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// Words and names, UTF-8.
    Text(Vec<Option<String>>),
    /// Counts, bytes and times in whole units.
    Whole(Vec<Option<u64>>),
    /// Numbers with a fraction.
    Number(Vec<Option<f64>>),
}

impl Cells {
    /// The number of cells, empty ones included: that of the table's rows.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Cells::Text(cells) => cells.len(),
            Cells::Whole(cells) => cells.len(),
            Cells::Number(cells) => cells.len(),
        }
    }

    /// Returns `true` if there are no cells.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Cells {
    /// The cells of these rows in their order; nothing where a row is none.
    #[must_use]
    pub fn take(&self, rows: &[Option<usize>]) -> Cells {
        fn taken<C: Clone>(cells: &[Option<C>], rows: &[Option<usize>]) -> Vec<Option<C>> {
            let cell = |row: &Option<usize>| row.and_then(|row| cells[row].clone());
            rows.iter().map(cell).collect()
        }
        match self {
            Cells::Text(cells) => Cells::Text(taken(cells, rows)),
            Cells::Whole(cells) => Cells::Whole(taken(cells, rows)),
            Cells::Number(cells) => Cells::Number(taken(cells, rows)),
        }
    }

    /// Returns `true` if every cell is empty.
    #[must_use]
    pub fn holds_nothing(&self) -> bool {
        match self {
            Cells::Text(cells) => cells.iter().all(Option::is_none),
            Cells::Whole(cells) => cells.iter().all(Option::is_none),
            Cells::Number(cells) => cells.iter().all(Option::is_none),
        }
    }

    /// The word of a row, if it has one.
    #[must_use]
    pub fn word(&self, row: usize) -> Option<&str> {
        match self {
            Cells::Text(cells) => cells[row].as_deref(),
            Cells::Whole(_) | Cells::Number(_) => None,
        }
    }

    /// These cells and others behind them: of the kind that both are, else of the one that holds both.
    fn followed_by(self, others: Cells) -> Cells {
        fn chained<C>(mut cells: Vec<Option<C>>, others: Vec<Option<C>>) -> Vec<Option<C>> {
            cells.extend(others);
            cells
        }
        match (self, others) {
            (Cells::Text(cells), Cells::Text(others)) => Cells::Text(chained(cells, others)),
            (Cells::Whole(cells), Cells::Whole(others)) => Cells::Whole(chained(cells, others)),
            (Cells::Number(cells), Cells::Number(others)) => Cells::Number(chained(cells, others)),
            (cells @ Cells::Whole(_), others @ Cells::Number(_))
            | (cells @ Cells::Number(_), others @ Cells::Whole(_)) => {
                Cells::Number(chained(cells.into_numbers(), others.into_numbers()))
            }
            (cells, others) => Cells::Text(chained(cells.into_words(), others.into_words())),
        }
    }

    fn into_numbers(self) -> Vec<Option<f64>> {
        match self {
            Cells::Text(_) => unreachable!("words are joined with words"),
            Cells::Whole(cells) => cells.into_iter().map(|c| c.map(|n| n as f64)).collect(),
            Cells::Number(cells) => cells,
        }
    }

    fn into_words(self) -> Vec<Option<String>> {
        match self {
            Cells::Text(cells) => cells,
            Cells::Whole(cells) => cells
                .into_iter()
                .map(|c| c.map(|n| n.to_string()))
                .collect(),
            Cells::Number(cells) => cells
                .into_iter()
                .map(|c| c.map(|n| n.to_string()))
                .collect(),
        }
    }

    /// N cells of the same kind that hold nothing.
    fn nothing(&self, rows: usize) -> Cells {
        self.take(&vec![None; rows])
    }
}

impl Table {
    /// The rows of all tables, those of the first one first, with every column that any of them has: in the order in
    /// which they are met.
    #[must_use]
    pub fn joined(name: &'static str, tables: Vec<Table>) -> Table {
        let mut columns: Vec<Column> = Vec::new();
        let mut at: BTreeMap<String, usize> = BTreeMap::new();
        let mut rows = 0;
        for table in tables {
            let more = table.rows();
            for column in table.columns {
                let n = *at.entry(column.name.clone()).or_insert_with(|| {
                    columns.push(Column {
                        name: column.name.clone(),
                        cells: column.cells.nothing(rows),
                    });
                    columns.len() - 1
                });
                let cells = std::mem::replace(&mut columns[n].cells, Cells::Text(Vec::new()));
                columns[n].cells = cells.followed_by(column.cells);
            }
            rows += more;
            for column in columns
                .iter_mut()
                .filter(|column| column.cells.len() < rows)
            {
                let cells = std::mem::replace(&mut column.cells, Cells::Text(Vec::new()));
                let nothing = cells.nothing(rows - cells.len());
                column.cells = cells.followed_by(nothing);
            }
        }
        Table { name, columns }
    }

    /// The number of rows; 0 for a table without columns.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.cells.len())
    }

    /// The column of that name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&Cells> {
        let column = self.columns.iter().find(|column| column.name == name);
        column.map(|column| &column.cells)
    }
}

/// Makes the columns of a table from its rows.
pub(crate) struct Columns<'a, R> {
    rows: &'a [R],
    columns: Vec<Column>,
}

impl<'a, R> Columns<'a, R> {
    pub fn of(rows: &'a [R]) -> Self {
        Columns {
            rows,
            columns: Vec::new(),
        }
    }

    /// Words; none for an empty one.
    pub fn text(&mut self, name: &str, word: impl for<'r> Fn(&'r R) -> &'r str) {
        let cell = |row: &R| Some(word(row).to_owned()).filter(|word| !word.is_empty());
        self.add(name, Cells::Text(self.rows.iter().map(cell).collect()));
    }

    /// Words that some rows do not have.
    pub fn words(&mut self, name: &str, word: impl Fn(&R) -> Option<String>) {
        self.add(name, Cells::Text(self.rows.iter().map(word).collect()));
    }

    pub fn whole(&mut self, name: &str, count: impl Fn(&R) -> Option<u64>) {
        self.add(name, Cells::Whole(self.rows.iter().map(count).collect()));
    }

    pub fn number(&mut self, name: &str, measure: impl Fn(&R) -> Option<f64>) {
        self.add(name, Cells::Number(self.rows.iter().map(measure).collect()));
    }

    fn add(&mut self, name: &str, cells: Cells) {
        self.columns.push(Column {
            name: name.to_owned(),
            cells,
        });
    }

    pub fn table(self, name: &'static str) -> Table {
        Table {
            name,
            columns: self.columns,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(columns: &[(&str, Cells)]) -> Table {
        let column = |(name, cells): &(&str, Cells)| Column {
            name: (*name).to_owned(),
            cells: cells.clone(),
        };
        Table {
            name: "t",
            columns: columns.iter().map(column).collect(),
        }
    }

    #[test]
    fn tables_are_joined_by_the_names_of_their_columns() {
        let words = |words: &[&str]| {
            Cells::Text(words.iter().map(|word| Some((*word).to_owned())).collect())
        };
        let one = table(&[
            ("a", words(&["x", "y"])),
            ("b", Cells::Whole(vec![Some(1), None])),
        ]);
        let two = table(&[("c", Cells::Number(vec![Some(0.5)])), ("a", words(&["z"]))]);
        let three = table(&[("b", Cells::Number(vec![Some(2.5)]))]);
        let all = Table::joined("t", vec![one, two, three]);
        let names: Vec<&str> = all.columns.iter().map(|c| c.name.as_str()).collect();
        assert_eq!((all.rows(), names), (4, vec!["a", "b", "c"]));
        let b = Cells::Number(vec![Some(1.0), None, None, Some(2.5)]);
        assert_eq!(all.column("b"), Some(&b));
        assert_eq!(all.column("a").unwrap().word(2), Some("z"));
        assert_eq!(all.column("a").unwrap().word(3), None);
        let taken = all.column("b").unwrap().take(&[Some(3), None, Some(0)]);
        assert_eq!(taken, Cells::Number(vec![Some(2.5), None, Some(1.0)]));
        let mixed = table(&[("b", words(&["7%"]))]);
        let all = Table::joined("t", vec![all, mixed]);
        assert_eq!(all.column("b").unwrap().word(0), Some("1"));
        assert!(Cells::Whole(vec![None]).holds_nothing());
    }
}
