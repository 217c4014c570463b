//! Cards side by side, without one alone in the last row.

/// Columns of the widest window.
const COLUMNS_MAX: usize = 3;

/// The style that lays out N cards: as many columns as leave no single card in the last row. Narrow
/// windows have two or one (`front.css`).
pub fn columns(cards: usize) -> String {
    let fits = |columns: &usize| cards % columns != 1;
    let columns = match cards {
        0..=COLUMNS_MAX => cards.max(1),
        _ => (2..=COLUMNS_MAX)
            .rev()
            .find(fits)
            .unwrap_or(COLUMNS_MAX + 1),
    };
    format!("--columns:{columns}")
}

#[cfg(test)]
mod tests {
    use super::columns;

    #[test]
    fn no_card_is_alone_in_the_last_row() {
        assert_eq!(columns(1), "--columns:1");
        for cards in 2..13 {
            let columns: usize = columns(cards)["--columns:".len()..]
                .parse()
                .expect("a number");
            assert!(
                (2..=4).contains(&columns) && cards % columns != 1,
                "{cards} in {columns}"
            );
        }
    }
}
