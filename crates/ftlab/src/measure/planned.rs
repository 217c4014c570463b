//! What a plan will do to a drive, in words, before it does.

use crate::screen;
use ftlab_base::amount::decimal;
use ftlab_measure::device::Device;
use ftlab_measure::plan::{Amount, Assumed, Plan};

/// Describes a plan.
pub fn words(plan: &Plan, device: &Device, mb_s: f64, rated_tbw: Option<f64>) -> String {
    let assumed = Assumed {
        bytes_per_s: mb_s * 1e6,
    };
    let amount = plan.amount(device.bytes, assumed);
    let measured = match plan.measures().count() {
        1 => "1 run".to_owned(),
        runs => format!("{runs} runs"),
    };
    let mut text = format!(
        "device:    {}, {}, {}\nmeasures:  {measured}\n",
        device.path.display(),
        device.kind.name(),
        screen::capacity(device.bytes)
    );
    text += &match plan.writes() {
        true => format!(
            "writes:    {}\n",
            range(amount.least_bytes, amount.most_bytes, |bytes| decimal(
                bytes, "B"
            ))
        ),
        false => "writes:    nothing\n".to_owned(),
    };
    text += &format!(
        "takes:     {}, if the drive moves {mb_s} MB/s, which is assumed\n",
        range(amount.least_s, amount.most_s, duration)
    );
    if let Some(tbw) = rated_tbw {
        text += &share(&amount, tbw);
    }
    for (test, why) in &plan.left_out {
        text += &format!("left out:  {test}: {why}\n");
    }
    text
}

/// What a plan takes of the rated endurance.
fn share(amount: &Amount, tbw: f64) -> String {
    let percent = |bytes: f64| format!("{:.3} %", 100.0 * bytes / (tbw * 1e12));
    format!(
        "endurance: {} of the {tbw} TB that the drive is rated for\n",
        range(amount.least_bytes, amount.most_bytes, percent)
    )
}

/// One word where least and most are the same to the reader.
fn range(least: f64, most: f64, word: impl Fn(f64) -> String) -> String {
    match (word(least), word(most)) {
        (least, most) if least == most => least,
        (least, most) => format!("{least} to {most}"),
    }
}

fn duration(seconds: f64) -> String {
    match seconds {
        seconds if seconds >= 2.0 * 3600.0 => format!("{:.1} hours", seconds / 3600.0),
        seconds if seconds >= 120.0 => format!("{:.0} minutes", seconds / 60.0),
        seconds if seconds >= 1.0 => format!("{seconds:.0} s"),
        _ => "less than a second".to_owned(),
    }
}
