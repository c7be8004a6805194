//! The values in counterexamples. The oracle tries them in leaves that it does not list in full.

use super::LONG;
use keyscape_codec::Value;
use keyscape_layout::{Datum, Record};
use keyscape_prover::{Fault, Report, Verdict};

/// Returns all single values in the counterexamples of a report, without duplicates.
pub(crate) fn values(report: &Report) -> Vec<Value> {
    let mut found = Vec::new();
    for claim in &report.claims {
        if let Verdict::Refuted(counterexample) = &claim.verdict {
            of_fault(&counterexample.fault, &mut found);
        }
    }
    found
}

fn of_fault(fault: &Fault, found: &mut Vec<Value>) {
    match fault {
        Fault::ScanExact(row) => of_record(&row.asked, found),
        Fault::Lossless { a, b, .. } => [a, b].into_iter().for_each(|datum| of_datum(datum, found)),
        Fault::Bounded { record: Some(record), .. } => of_record(&record.rest, found),
        _ => {}
    }
    fault.rows().into_iter().for_each(|row| of_record(&row.fields, found));
}

fn of_record(record: &Record, found: &mut Vec<Value>) {
    record.0.iter().for_each(|(_, datum)| of_datum(datum, found));
}

fn of_datum(datum: &Datum, found: &mut Vec<Value>) {
    match datum {
        Datum::Leaf(Value::Text(text)) if text.len() > LONG => {}
        Datum::Leaf(Value::Bytes(bytes)) if bytes.len() > LONG => {}
        Datum::Leaf(value) if found.contains(value) => {}
        Datum::Leaf(value) => found.push(value.clone()),
        Datum::Name(_) => {}
        Datum::Record(record) | Datum::Arm(_, record) => of_record(record, found),
        Datum::List(elements) => elements.iter().for_each(|element| of_datum(element, found)),
    }
}
