//! A JSON number: its spelling, and the value behind it.
//! It never passes through floating point to compare, and never respells.

use std::str::FromStr;

use crate::json::problem::ParseProblem;

/// A JSON number as it was spelled; `==` compares the spelling, [`Number::same_value`] the value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Number(String);

impl Number {
    /// The shortest spelling of `value` that reads back as the same float, or `None` when it is not finite.
    pub fn from_f64(value: f64) -> Option<Number> {
        value.is_finite().then(|| Number(format!("{value:?}")))
    }

    /// The spelling.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The value, when it is spelled as an integer that fits; `1.0` is not.
    pub fn as_u64(&self) -> Option<u64> {
        self.0.parse().ok()
    }

    /// The value, when it is spelled as an integer that fits; `1.0` is not.
    pub fn as_i64(&self) -> Option<i64> {
        self.0.parse().ok()
    }

    /// The nearest float, or `None` when the number lies beyond all of them, as `1e400` does.
    pub fn as_f64(&self) -> Option<f64> {
        self.0.parse().ok().filter(|value: &f64| value.is_finite())
    }

    /// Whether both are the same number, exactly: `1`, `1.0` and `10e-1` are; so are `0` and `-0`.
    pub fn same_value(&self, other: &Number) -> bool {
        Decimal::of(&self.0) == Decimal::of(&other.0)
    }
}

/// Refuses whatever RFC 8259 does not call a number, white space included.
impl FromStr for Number {
    type Err = ParseProblem;

    fn from_str(spelling: &str) -> Result<Number, ParseProblem> {
        match number_len(spelling.as_bytes()) {
            Ok(len) if len == spelling.len() => Ok(Number(spelling.to_owned())),
            Ok(_) => Err(ParseProblem::TrailingContent),
            Err((_, problem)) => Err(problem),
        }
    }
}

macro_rules! from_integers {
    ($($integer:ty)*) => {$(
        impl From<$integer> for Number {
            fn from(value: $integer) -> Number {
                Number(value.to_string())
            }
        }
    )*};
}
from_integers!(i32 i64 u16 u32 u64 usize);

/// The length of the number at the start of `bytes`, or where in it which problem stands.
pub(in crate::json) fn number_len(bytes: &[u8]) -> Result<usize, (usize, ParseProblem)> {
    let byte = |at: usize| bytes.get(at).copied();
    let after_digits = |from: usize| {
        let count = bytes.iter().skip(from).take_while(|digit| digit.is_ascii_digit()).count();
        if count == 0 { Err((from, ParseProblem::ExpectedDigit)) } else { Ok(from + count) }
    };
    let whole = usize::from(byte(0) == Some(b'-'));
    let mut at = after_digits(whole)?;
    if byte(whole) == Some(b'0') && at > whole + 1 {
        return Err((whole, ParseProblem::LeadingZero));
    }
    if byte(at) == Some(b'.') {
        at = after_digits(at + 1)?;
    }
    if matches!(byte(at), Some(b'e' | b'E')) {
        let signed = matches!(byte(at + 1), Some(b'+' | b'-'));
        at = after_digits(at + 1 + usize::from(signed))?;
    }
    Ok(at)
}

/// The one normal form of a decimal: `digits` has no zero at either end and stands after the point, `0.digits`;
/// zero has no digits. The exponent is text because JSON sets no limit to it.
#[derive(PartialEq)]
struct Decimal {
    negative: bool,
    digits: String,
    exponent: String,
}

impl Decimal {
    fn of(spelling: &str) -> Decimal {
        let (negative, unsigned) = split_sign(spelling);
        let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let written = format!("{whole}{fraction}");
        let led = written.trim_start_matches('0');
        let digits = led.trim_end_matches('0');
        if digits.is_empty() {
            return Decimal { negative: false, digits: String::new(), exponent: String::new() };
        }
        let leading_zeros = written.len() - led.len();
        let shift = whole.len() as i128 - leading_zeros as i128;
        Decimal { negative, digits: digits.to_owned(), exponent: shifted(exponent, shift) }
    }
}

/// `exponent + by` in its shortest spelling.
fn shifted(exponent: &str, by: i128) -> String {
    if let Some(sum) = exponent.parse::<i128>().ok().and_then(|small| small.checked_add(by)) {
        return sum.to_string();
    }
    // The exponent is far larger than any shift, so its sign stays and a carry from the right is enough.
    let (negative, magnitude) = split_sign(exponent);
    let mut carry = if negative { -by } else { by };
    let mut reversed = String::new();
    for digit in magnitude.bytes().rev() {
        let sum = i128::from(digit - b'0') + carry;
        reversed.push(char::from(b'0' + sum.rem_euclid(10) as u8));
        carry = sum.div_euclid(10);
    }
    let digits: String = reversed.chars().rev().collect();
    let digits = if carry > 0 { format!("{carry}{digits}") } else { digits };
    let sign = if negative { "-" } else { "" };
    format!("{sign}{}", digits.trim_start_matches('0'))
}

fn split_sign(signed: &str) -> (bool, &str) {
    match signed.strip_prefix('-') {
        Some(magnitude) => (true, magnitude),
        None => (false, signed.strip_prefix('+').unwrap_or(signed)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::Number;

    fn number(spelling: &str) -> Number {
        spelling.parse().unwrap()
    }

    fn check(left: &str, right: &str, same: bool) {
        assert_eq!(number(left).same_value(&number(right)), same, "{left} and {right}");
        assert_eq!(number(right).same_value(&number(left)), same, "{right} and {left}");
    }

    #[test]
    fn other_spellings_of_one_value_are_the_same_value_but_not_equal() {
        for other in ["1.0", "1e0", "1E+0", "10e-1", "0.1e1", "0.001E3", "1.000", "100e-02"] {
            check("1", other, true);
            assert_ne!(number("1"), number(other));
        }
        check("0", "-0", true);
        check("0", "0.00e999", true);
        check("-120", "-1.2e2", true);
    }

    #[test]
    fn values_that_a_float_would_merge_stay_apart() {
        check("9007199254740993", "9007199254740992", false);
        check("0.1", "0.1000000000000000055511151231257827", false);
        check("1e400", "1e401", false);
        check("1e-400", "0", false);
        check("1", "-1", false);
        check("10", "1", false);
        check("0.1", "0.01", false);
        check("101", "11", false);
    }

    #[test]
    fn exponents_of_any_size_are_compared_exactly() {
        let nines = "9".repeat(60);
        let next = format!("1{}", "0".repeat(60));
        check(&format!("10e{nines}"), &format!("1e{next}"), true);
        check(&format!("0.1e-{nines}"), &format!("1e-{next}"), true);
        check(&format!("1e{nines}"), &format!("1e-{nines}"), false);
        check(&format!("1e000{nines}"), &format!("1e+{nines}"), true);
        check(&format!("1e{}", i128::MAX), "1e170141183460469231731687303715884105727", true);
        check("10e170141183460469231731687303715884105727", "1e170141183460469231731687303715884105728", true);
    }

    #[test]
    fn what_json_does_not_call_a_number_is_refused() {
        for spelling in
            ["", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "0x1", "NaN", "Infinity", " 1", "1 ", "1_0"]
        {
            assert!(spelling.parse::<Number>().is_err(), "{spelling:?}");
        }
    }

    #[test]
    fn integers_are_read_only_from_integer_spellings_that_fit() {
        assert_eq!(number("18446744073709551615").as_u64(), Some(u64::MAX));
        assert_eq!(number("18446744073709551616").as_u64(), None);
        assert_eq!(number("-1").as_u64(), None);
        assert_eq!(number("-1").as_i64(), Some(-1));
        assert_eq!(number("1.0").as_u64(), None);
        assert_eq!(number("1.0").as_f64(), Some(1.0));
        assert_eq!(number("1e400").as_f64(), None);
    }

    proptest! {
        #[test]
        fn a_float_is_spelled_so_that_it_reads_back(value in proptest::num::f64::NORMAL) {
            let spelled = Number::from_f64(value).unwrap();
            prop_assert!(spelled.as_str().parse::<Number>().is_ok());
            prop_assert_eq!(spelled.as_f64(), Some(value));
        }

        #[test]
        fn moving_the_point_and_the_exponent_together_keeps_the_value(digits in 1_u64.., zeros in 0_usize..40) {
            let moved = format!("{digits}{}e-{zeros}", "0".repeat(zeros));
            prop_assert!(number(&moved).same_value(&Number::from(digits)));
            let below = format!("0.{}{digits}e{zeros}", "0".repeat(zeros));
            let whole = format!("{digits}e-{}", digits.to_string().len());
            prop_assert!(number(&below).same_value(&number(&whole)));
        }
    }
}
