//! `[thermal]`: how warm a drive gets, and what it does about it.

use crate::file::section::section;
use ftlab_sheet::quantity::{Celsius, HeatCapacity, Quantity, Rate, ThermalResistance};
use ftlab_timing::{ThermalModel, ThrottleStep};

section! {
    "thermal"
    /// How warm the drive gets of what `[power]` says it takes, as one body in the air around it, and what it does then; it
    /// never throttles without the section.
    struct ThermalKeys {
        /// The air around it.
        ambient: Quantity<Celsius>,
        /// Kelvin above it for each watt, in the long run: the cooling.
        resistance: Quantity<ThermalResistance>,
        /// Joules that warm the drive by a kelvin. Times `resistance` it is the time in which it gets 63 % of the way.
        capacity: Quantity<HeatCapacity>,
        /// Where light throttling begins (TMT1 of NVMe); never if left out.
        light_from: Option<Quantity<Celsius>>,
        /// Where it ends, which is below.
        light_until: Option<Quantity<Celsius>>,
        /// What the drive moves at most meanwhile, of reads and writes together.
        light_rate: Option<Quantity<Rate>>,
        /// Where heavy throttling begins (TMT2 of NVMe), above `light_from`; never if left out.
        heavy_from: Option<Quantity<Celsius>>,
        /// Where it ends: light throttling goes on.
        heavy_until: Option<Quantity<Celsius>>,
        /// What the drive moves at most meanwhile.
        heavy_rate: Option<Quantity<Rate>>,
        /// Where the drive warns of its temperature (WCTEMP of NVMe), not above `critical`; never if left out.
        warning: Option<Quantity<Celsius>>,
        /// Where the drive reports that it is too warm to work for long (CCTEMP of NVMe); a run that gets there says so.
        critical: Option<Quantity<Celsius>>,
    }
}

type StepKeys<'a> = (
    &'a Option<Quantity<Celsius>>,
    &'a Option<Quantity<Celsius>>,
    &'a Option<Quantity<Rate>>,
);

/// A step of throttling, whose three keys go together.
fn step(name: &str, keys: StepKeys<'_>) -> Result<Option<ThrottleStep>, String> {
    let (Some(from), Some(until), Some(rate)) = keys else {
        let any = keys.0.is_some() || keys.1.is_some() || keys.2.is_some();
        return match any {
            false => Ok(None),
            true => Err(format!(
                "thermal.{name}_from, {name}_until and {name}_rate go together: give all three or none"
            )),
        };
    };
    if until.base >= from.base {
        return Err(format!(
            "thermal.{name}_until of {} C is not below thermal.{name}_from of {} C: throttling would end where it begins",
            until.base, from.base
        ));
    }
    Ok(Some(ThrottleStep {
        from_celsius: from.base,
        until_celsius: until.base,
        bytes_per_s: rate.base,
    }))
}

impl ThermalKeys {
    /// The drive as heat sees it; the error says what does not go together.
    pub(in crate::file) fn model(&self) -> Result<ThermalModel, String> {
        let light = step(
            "light",
            (&self.light_from, &self.light_until, &self.light_rate),
        )?;
        let heavy = step(
            "heavy",
            (&self.heavy_from, &self.heavy_until, &self.heavy_rate),
        )?;
        match (&light, &heavy) {
            (None, Some(_)) => {
                return Err(
                    "thermal.heavy_from needs thermal.light_from, the step before it".to_owned(),
                );
            }
            (Some(light), Some(heavy)) if heavy.from_celsius <= light.from_celsius => {
                return Err(format!(
                    "thermal.heavy_from of {} C is not above thermal.light_from of {} C",
                    heavy.from_celsius, light.from_celsius
                ));
            }
            _ => {}
        }
        if let (Some(warning), Some(critical)) = (&self.warning, &self.critical)
            && warning.base > critical.base
        {
            return Err(format!(
                "thermal.warning of {} C is above thermal.critical of {} C: the drive would warn when it is too late",
                warning.base, critical.base
            ));
        }
        Ok(ThermalModel {
            ambient_celsius: self.ambient.base,
            kelvin_per_watt: self.resistance.base,
            joules_per_kelvin: self.capacity.base,
            steps: [light, heavy],
            warning_celsius: self.warning.as_ref().map(|warning| warning.base),
            critical_celsius: self.critical.as_ref().map(|critical| critical.base),
        })
    }
}
