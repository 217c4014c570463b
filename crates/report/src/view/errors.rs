//! Errors of the model against published figures, in a few bands.

use ftlab_result::Figure;

/// The factors, in either direction, at which the bands of errors end, and what the bands are called.
const BANDS: [(f64, &str); 4] = [
    (1.05, "within 5 %"),
    (1.15, "5 to 15 %"),
    (1.5, "15 to 50 %"),
    (f64::INFINITY, "further off"),
];

/// The number of scored figures in each band.
pub fn bands<'a>(figures: impl Iterator<Item = &'a Figure>) -> Vec<(&'static str, usize)> {
    let mut counts = [0; BANDS.len()];
    for error in figures.filter_map(|figure| figure.error) {
        if let Some(band) = BANDS.iter().position(|(end, _)| error.exp() <= *end) {
            counts[band] += 1;
        }
    }
    BANDS.iter().map(|(_, name)| *name).zip(counts).collect()
}

/// `AnandTech 2008`: who published a source and when, by its title; what stands before the colon of one that has a name
/// instead; the title itself where it says neither.
pub fn source_short(source: &str) -> String {
    let publisher = source.split(", ").next().unwrap_or(source);
    if let Some((name, _)) = publisher.split_once(": ") {
        return name.to_owned();
    }
    let year = source.split(|c: char| !c.is_ascii_digit()).rfind(|digits| {
        digits.len() == 4 && (digits.starts_with("19") || digits.starts_with("20"))
    });
    match year {
        Some(year) if publisher.len() < source.len() => format!("{publisher} {year}"),
        _ => source.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_known_by_publisher_and_year() {
        let title = "BeHardware, \"SSD 2011 roundup: Crucial M4, Intel 510/320\", 2011-04-18";
        assert_eq!(source_short(title), "BeHardware 2011");
        assert_eq!(source_short("measured here"), "measured here");
        let of_methods = "Drives of today: the methods of a paper (PVLDB 18(11), 2025)";
        assert_eq!(source_short(of_methods), "Drives of today");
    }

    #[test]
    fn every_scored_figure_is_in_one_band() {
        let figure: Figure = serde_json::from_value(serde_json::json!({
            "id": "F1", "drive": "", "model": "", "test": "", "state": "", "data": "", "link": "",
            "metric": "", "unit": "", "published": 1, "qualifier": "eq", "simulated": 2.0,
            "error": 0.0, "verdict": "fail", "run": "", "source": ""
        }))
        .expect("a figure");
        let off = |error| Figure {
            error,
            ..figure.clone()
        };
        let set = [off(Some(0.0)), off(Some(0.13)), off(Some(3.0)), off(None)];
        let counts: Vec<usize> = bands(set.iter())
            .into_iter()
            .map(|(_, count)| count)
            .collect();
        assert_eq!(counts, [1, 1, 0, 1]);
    }
}
