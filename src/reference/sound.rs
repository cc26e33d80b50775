//! Whether a contract's `reference` section can be served at all: every expression can be read, every collection that is
//! used is declared. A mistake shows when the server starts, not as a 500 later.

use crate::contract::{CannedAnswer, Reference, ReferenceOperation, Write};
use crate::reference::setup::ServeError;
use crate::reference::template::{check_expression, check_templates};

/// The first thing that is wrong with it.
pub fn check_reference(reference: &Reference) -> Result<(), ServeError> {
    reference.operations.values().try_for_each(|operation| check_operation(reference, operation))?;
    reference.reads.iter().try_for_each(|read| check_collection(reference, &read.collection))?;
    reference.errors.values().try_for_each(check_answer)
}

fn check_operation(reference: &Reference, operation: &ReferenceOperation) -> Result<(), ServeError> {
    for lookup in operation.find.values() {
        check_collection(reference, &lookup.collection)?;
        lookup.matching.values().try_for_each(|expression| check_expression(expression))?;
    }
    for constraint in &operation.refuse {
        check_expression(&constraint.when)?;
        check_answer(&constraint.answer)?;
    }
    for write in operation.all_writes() {
        match write {
            Write::Put { collection, row, unless } => {
                check_collection(reference, collection)?;
                check_templates(row)?;
                unless.iter().try_for_each(|expression| check_expression(expression))?;
            }
            Write::Change { collection, matching, set } => {
                check_collection(reference, collection)?;
                matching.values().try_for_each(|expression| check_expression(expression))?;
                check_templates(set)?;
            }
        }
    }
    check_answer(&operation.answer)?;
    operation.duplicate.iter().try_for_each(check_answer)
}

fn check_collection(reference: &Reference, name: &str) -> Result<(), ServeError> {
    if reference.collections.contains_key(name) { Ok(()) } else { Err(ServeError::NoCollection(name.to_owned())) }
}

fn check_answer(answer: &CannedAnswer) -> Result<(), ServeError> {
    Ok(check_templates(&answer.body)?)
}

#[cfg(test)]
mod tests {
    use crate::contract::{Collection, ReadRoute, Reference, RequestLine};
    use crate::json::Json;
    use crate::reference::sound::check_reference;
    use crate::reference::template::{check_expression, check_templates};

    #[test]
    fn a_collection_that_nobody_declared_is_named() {
        let request = RequestLine { method: "GET".to_owned(), target: "/things".to_owned() };
        let (collection, by) = ("things".to_owned(), std::collections::BTreeMap::new());
        let read = ReadRoute { request, collection, by, rows: None, count: None, hide: Vec::new(), late: None };
        let mut reference = Reference { reads: vec![read], ..Reference::default() };
        let error = check_reference(&reference).unwrap_err().to_string();
        assert!(error.contains("`things`"), "{error}");
        reference.collections.insert("things".to_owned(), Collection { unique: Vec::new(), rows: Vec::new() });
        assert!(check_reference(&reference).is_ok());
    }

    #[test]
    fn an_expression_that_cannot_be_read_is_named() {
        assert!(check_expression("not element").is_ok());
        assert!(check_expression("a +").is_err());
        assert!(check_templates(&Json::from("{{ id('x') }}")).is_ok());
        assert!(check_templates(&Json::from("{{ a + }}")).is_err());
    }
}
