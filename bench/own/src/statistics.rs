//! Statistics of repeated measurements.

use std::fmt;

/// The median of some measurements with its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Median {
    /// The median.
    pub value: f64,
    /// The lower end of the interval that contains the true median with a confidence of 95 %.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Median {
    /// Returns the median of the reciprocals.
    #[must_use]
    pub fn reciprocal(self) -> Self {
        Self { value: 1.0 / self.value, low: 1.0 / self.high, high: 1.0 / self.low }
    }

    /// Returns the median after a change of the unit.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self { value: self.value * factor, low: self.low * factor, high: self.high * factor }
    }
}

/// Prints the median and its interval with the precision of the formatter, by default two digits.
impl fmt::Display for Median {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(2);
        let Self { value, low, high } = self;
        write!(f, "{value:.digits$} [{low:.digits$}, {high:.digits$}]")
    }
}

/// Computes the median and its confidence interval from the ranks. The measurements must be
/// independent and can have any distribution.
///
/// # Panics
/// If there are no measurements.
#[must_use]
pub fn median(mut measurements: Vec<f64>) -> Median {
    assert!(!measurements.is_empty(), "no measurements");
    measurements.sort_by(f64::total_cmp);
    let count = measurements.len();
    let middle = (measurements[(count - 1) / 2] + measurements[count / 2]) / 2.0;
    // The number of values below the true median is binomial, with 95 % inside 1.96 deviations.
    let spread = 1.96 * (count as f64).sqrt() / 2.0;
    let low = (count as f64 / 2.0 - spread).floor().max(0.0) as usize;
    let high = (count as f64 / 2.0 + spread).ceil() as usize;
    Median { value: middle, low: measurements[low], high: measurements[high.min(count - 1)] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_is_made_of_ranks() {
        let found = median((0..=100).rev().map(f64::from).collect());
        assert_eq!(found, Median { value: 50.0, low: 40.0, high: 61.0 });
        assert_eq!(median(vec![7.0]), Median { value: 7.0, low: 7.0, high: 7.0 });
        assert_eq!(format!("{found:.1}"), "50.0 [40.0, 61.0]");
        assert_eq!(found.reciprocal().times(100.0).to_string(), "2.00 [1.64, 2.50]");
    }
}
