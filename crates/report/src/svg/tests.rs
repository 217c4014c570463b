//! Marks, places and names of charts.

use super::*;

fn chart(series: Vec<Series>) -> Chart<'static> {
    Chart {
        title: "a <b> & c".to_owned(),
        height: 300.0,
        across: Axis::round("x".to_owned(), 0.0..10.0),
        up: Axis::round("y".to_owned(), 0.0..1.0),
        series,
        note: Some("flat"),
    }
}

#[test]
fn marks_are_round_and_inside_whatever_the_ends() {
    let marks = |low, high| {
        let axis = Axis::round(String::new(), low..high);
        let inside = |(at, _): &(f64, String)| (axis.low..=axis.high).contains(at);
        assert!(axis.marks.iter().all(inside), "{axis:?}");
        axis.marks
            .into_iter()
            .map(|(_, words)| words)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        marks(0.0, 12_300.0),
        ["0", "2,000", "4,000", "6,000", "8,000", "10,000", "12,000"]
    );
    assert_eq!(marks(0.0, 1.0), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
    assert_eq!(
        marks(-0.35, 0.25),
        ["−0.3", "−0.2", "−0.1", "0", "0.1", "0.2"]
    );
    assert_eq!(marks(0.0, 0.0).len(), 6, "all values are zero");
}

#[test]
fn a_logarithmic_axis_has_equal_room_for_equal_ratios() {
    let axis = Axis {
        is_log: true,
        low: 1.0,
        high: 100.0,
        name: String::new(),
        marks: Vec::new(),
    };
    assert!((axis.share(10.0) - 0.5).abs() < 1e-12);
}

#[test]
fn marks_that_would_touch_are_left_out() {
    let mut axis = Axis::round(String::new(), 0.0..100.0);
    axis.marks = (0..=100).map(|n| (f64::from(n), n.to_string())).collect();
    let shown = axis.spaced(|at| at * 5.0);
    assert!((10..40).contains(&shown.len()), "{shown:?}");
    let places = |pair: &[(f64, &str)]| pair[1].0 - pair[0].0 > LETTER;
    assert!(shown.windows(2).all(places));
}

#[test]
fn higher_values_stand_higher_and_names_are_escaped() {
    let svg = draw(&[chart(vec![Series {
        name: "<script>".to_owned(),
        dots: vec![(2.0, 0.25), (8.0, 0.75)],
        ..Series::default()
    }])]);
    let dots: Vec<[f64; 2]> = (svg.lines().filter(|line| line.starts_with("<circle")))
        .map(|line| ["cx=\"", "cy=\""].map(|name| after(line, name)))
        .collect();
    assert!(
        dots[0][0] < dots[1][0] && dots[0][1] > dots[1][1],
        "{dots:?}"
    );
    assert!(svg.contains("&lt;script&gt;") && !svg.contains("<script"));
    assert!(svg.contains("a &lt;b&gt; &amp; c") && svg.contains("flat"));
}

fn after(line: &str, name: &str) -> f64 {
    let (_, rest) = line.split_once(name).unwrap();
    rest.split('"').next().unwrap().parse().unwrap()
}

#[test]
fn a_legend_of_many_names_has_rows_that_fit() {
    let series = |n: usize| Series {
        name: format!("a setting of this chart: {n}"),
        ..Series::default()
    };
    let series: Vec<Series> = (0..9).map(series).collect();
    let rows = legend::rows(&series);
    assert!(rows.len() > 1 && rows.iter().map(Vec::len).sum::<usize>() == 9);
    let (x, last) = rows[0].last().unwrap();
    assert!(x + last.name.len() as f64 * LETTER < WIDTH);
    assert!(
        legend::rows(&[Series::default()]).is_empty(),
        "without a name"
    );
}
