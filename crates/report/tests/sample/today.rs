//! A result set of drives of today.

use ftlab_result::{Chart, Fill, Parameter, Plateau, ResultSet, Role, Run, TestSheet};

use super::sample;

/// What a report of drives of today has beside others: a fill with its plateaus, heat, percentiles over steps, and a
/// closed form.
pub fn today() -> ResultSet {
    let mut set = sample();
    set.figures.clear();
    set.tests
        .retain(|test| ["A1", "A2", "A4"].contains(&test.method.as_str()));
    let method = |tests: &[TestSheet], slug: &str| {
        let test = tests.iter().find(|test| test.test == slug);
        test.map(|test| test.method.clone())
    };
    set.runs
        .retain(|run| method(&set.tests, &run.test).is_some());
    for test in &mut set.tests {
        let (chart, metric, unit) = match test.method.as_str() {
            "A1" => (Chart::Fill, "mean_mb_s", "MB/s"),
            "A2" => (Chart::Lines, "wa", ""),
            _ => (Chart::Percentiles, "write_lat_p99_us", "µs"),
        };
        test.chart = chart;
        (test.chart_metric, test.chart_unit) = (metric.into(), unit.into());
        if chart == Chart::Fill {
            test.roles = vec![Role::CacheSize, Role::Commit];
        }
        if chart == Chart::Lines {
            test.chart_beside = "wa_closed_form".into();
        }
    }
    for (n, run) in set.runs.iter_mut().enumerate() {
        let (size, speed) = (100.0 + n as f64, 2000.0 + 10.0 * n as f64);
        let method = method(&set.tests, &run.test);
        let mut put = |name: &str, value: f64| run.metrics.insert(name.to_owned(), value);
        match method.as_deref() {
            Some("A1") => {
                put("mean_mb_s", speed);
                put("slc_gb", size);
                put("commit_us", 1e3 / size);
                let plateau = |from: f64, to: f64, mb_s| Plateau {
                    from_gb: from * size,
                    to_gb: to * size,
                    mb_s,
                };
                let plateaus = vec![
                    plateau(0.0, 1.0, speed),
                    plateau(1.0, 4.0, speed / 4.0),
                    plateau(4.0, 5.0, speed),
                ];
                let course = plateaus.iter().flat_map(|part| {
                    let parts = (1..=20).map(|n| f64::from(n) / 20.0);
                    parts.map(|at| (part.from_gb + at * (part.to_gb - part.from_gb), part.mb_s))
                });
                warm(run);
                run.fill = Some(Fill {
                    course: course.collect(),
                    rests_gb: vec![4.0 * size],
                    plateaus,
                    cache_plateaus: 1,
                    doubt: None,
                });
            }
            Some("A2") => {
                put("wa", 3.0 + size / 100.0);
                put("wa_closed_form", 3.1 + size / 100.0);
            }
            _ => {
                for (digits, times) in [
                    ("50", 1.0),
                    ("99", 3.0),
                    ("999", 9.0),
                    ("9999", 20.0),
                    ("99999", 40.0),
                ] {
                    put(&format!("write_lat_p{digits}_us"), size * times);
                    put(&format!("read_lat_p{digits}_us"), size * times / 2.0);
                }
            }
        }
    }
    for sheet in &mut set.drives {
        sheet.parameters.push(Parameter {
            key: "thermal.light_from".to_owned(),
            value: "79".to_owned(),
            unit: "C".to_owned(),
            source: "review".to_owned(),
            confidence: "high".to_owned(),
            from: Vec::new(),
            note: String::new(),
            base: String::new(),
        });
    }
    set
}

/// Half a minute in which the drive warms until it slows down.
fn warm(run: &mut Run) {
    const SECONDS: u32 = 30;
    const WARM_FROM: u32 = 20;
    (run.seconds, run.series_interval_s) = (SECONDS.into(), 1.0);
    let rate = |second: u32| if second < WARM_FROM { 3_000 } else { 900 };
    run.series_ios = (0..SECONDS).map(rate).collect();
    run.series_bytes = (0..SECONDS)
        .map(|second| rate(second) * 1_000_000)
        .collect();
    let celsius = |second: u32| 50.0 + 1.5 * f64::from(second.min(WARM_FROM));
    run.at[0].series_celsius = (0..SECONDS).map(celsius).collect();
    run.at[0].series_throttle = (0..SECONDS).map(|s| u8::from(s >= WARM_FROM)).collect();
}
