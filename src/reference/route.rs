//! Which operation or read a request is for, by method and path. A `{name}` or `{{ name }}` in a contract's path binds
//! one segment; a literal path goes before one that binds.

use std::collections::BTreeMap;

use crate::contract::{Contract, ReadRoute, RequestLine};
use crate::name::OperationName;
use crate::reference::call::decoded;

/// What a request is for.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// An operation.
    Operation(OperationName),
    /// A call of the read side.
    Read(ReadRoute),
}

/// What routing found.
#[derive(Clone, Debug, PartialEq)]
pub enum Routed<'a> {
    /// The target, and what its path binds.
    Found(&'a Target, BTreeMap<String, String>),
    /// The path is known; these are its methods.
    WrongMethod(Vec<&'a str>),
    /// The path is not known.
    NoSuchPath,
}

/// Every method and path of a contract.
#[derive(Clone, Debug)]
pub struct Routes(Vec<Route>);

#[derive(Clone, Debug)]
struct Route {
    method: String,
    segments: Vec<Segment>,
    target: Target,
}

#[derive(Clone, Debug, PartialEq)]
enum Segment {
    Literal(String),
    Bound(String),
}

impl Routes {
    /// The routes of a contract.
    pub fn of(contract: &Contract) -> Self {
        let operations = contract
            .operations
            .values()
            .map(|operation| Route::new(&operation.request, Target::Operation(operation.name.clone())));
        let reads = contract.reference.iter().flat_map(|reference| &reference.reads);
        let mut routes: Vec<Route> =
            operations.chain(reads.map(|read| Route::new(&read.request, Target::Read(read.clone())))).collect();
        routes
            .sort_by_key(|route| route.segments.iter().filter(|segment| matches!(segment, Segment::Bound(_))).count());
        Self(routes)
    }

    /// What a method and a path are for.
    pub fn find(&self, method: &str, path: &str) -> Routed<'_> {
        let mut methods = Vec::new();
        for route in &self.0 {
            let Some(bound) = route.bind(path) else { continue };
            if route.method.eq_ignore_ascii_case(method) {
                return Routed::Found(&route.target, bound);
            }
            methods.push(route.method.as_str());
        }
        if methods.is_empty() { Routed::NoSuchPath } else { Routed::WrongMethod(methods) }
    }
}

impl Route {
    fn new(request: &RequestLine, target: Target) -> Self {
        let path = request.target.split('?').next().unwrap_or_default();
        Self { method: request.method.clone(), segments: path.split('/').map(Segment::new).collect(), target }
    }

    fn bind(&self, path: &str) -> Option<BTreeMap<String, String>> {
        let sent: Vec<&str> = path.split('/').collect();
        if sent.len() != self.segments.len() {
            return None;
        }
        let mut bound = BTreeMap::new();
        for (segment, sent) in self.segments.iter().zip(sent) {
            match segment {
                Segment::Literal(literal) if *literal == decoded(sent, false) => {}
                Segment::Literal(_) => return None,
                Segment::Bound(_) if sent.is_empty() => return None,
                Segment::Bound(name) => {
                    bound.insert(name.clone(), decoded(sent, false));
                }
            }
        }
        Some(bound)
    }
}

impl Segment {
    fn new(segment: &str) -> Self {
        match segment.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
            Some(name) => Segment::Bound(name.trim_matches(['{', '}', ' ']).to_owned()),
            None => Segment::Literal(segment.to_owned()),
        }
    }
}
