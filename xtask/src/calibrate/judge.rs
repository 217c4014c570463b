//! The effect of a fit on figures that it never saw: one that makes them worse is not written.

use super::errors::{Weighed, sum};
use anyhow::{Result, bail};

/// A sum of costs that grows by less than this did not get worse: it is scatter.
const SCATTER: f64 = 0.01;

/// Fails if a fit may not be written, by the unseen figures of the family before and after it.
///
/// # Errors
/// When they got worse: which, by how much, and what to do.
pub fn judge(before: &[Weighed], after: &[Weighed]) -> Result<()> {
    let [was, is] = [sum(before), sum(after)];
    if is <= was + SCATTER {
        return Ok(());
    }
    let worse = before
        .iter()
        .zip(after)
        .filter(|(before, after)| after.cost > before.cost);
    let worse: Vec<&str> = worse.map(|(_, after)| after.figure.id.as_str()).collect();
    bail!(
        "nothing is written: the fit improves the figures it was made with and worsens unseen ones of the family ({}; \
         what their errors cost goes from {was:.4} to {is:.4}). What the fit pays for is not what this number is: fit fewer \
         numbers (--only), look for the mechanism that both kinds of figures answer to, or leave the figure a miss and say why \
         in reference/misses.csv",
        worse.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use ftlab_result::{Figure, Verdict};

    fn weighed(id: &str, simulated: f64) -> Weighed {
        let ratio: f64 = simulated / 100.0;
        let figure = Figure {
            id: id.to_owned(),
            drive: "a-drive".to_owned(),
            drive_name: String::new(),
            model: "a-drive".to_owned(),
            test: "a-test".to_owned(),
            test_name: String::new(),
            state: "new".to_owned(),
            data: "na".to_owned(),
            link: "na".to_owned(),
            metric: "mb_s".to_owned(),
            unit: "MB/s".to_owned(),
            published: "100".to_owned(),
            qualifier: "eq".to_owned(),
            simulated: Some(simulated),
            spread: None,
            error: Some(ratio.ln().abs()),
            left_out_error: None,
            verdict: if ratio.ln().abs() <= 1.15_f64.ln() {
                Verdict::Pass
            } else {
                Verdict::Fail
            },
            run: String::new(),
            source: String::new(),
            unseen: true,
            note: String::new(),
            why: String::new(),
        };
        Weighed::of(figure)
    }

    #[test]
    fn a_fit_that_worsens_what_it_never_saw_is_refused_by_name() {
        let before = [weighed("P001", 95.0), weighed("P002", 90.0)];
        let better = [weighed("P001", 99.0), weighed("P002", 90.0)];
        judge(&before, &better).unwrap();
        // One gets better by as much as the other gets worse.
        let even = [weighed("P001", 90.0), weighed("P002", 95.0)];
        judge(&before, &even).unwrap();
        let worse = [weighed("P001", 95.0), weighed("P002", 70.0)];
        let why = judge(&before, &worse).unwrap_err().to_string();
        assert!(
            why.starts_with("nothing is written") && why.contains("(P002;"),
            "{why}"
        );
        assert!(why.contains("--only"), "{why}");
        // Nothing vouches against it, and nothing for it.
        judge(&[], &[]).unwrap();
        let shown = crate::calibrate::figures("unseen", &before, &worse).to_string();
        assert!(shown.contains("P002") && shown.contains("70.00"), "{shown}");
    }
}
