//! One thing asked for once: a single request, or one item of a batch, with what it is told by. Both have the same
//! fingerprint when they ask for the same. Nothing is looked up here.

use std::sync::Arc;

use crate::contract::{KeyPlace, Sameness};
use crate::json::Json;
use crate::reference::call::Call;
use crate::reference::hook::Hook;
use crate::reference::policy::{Compares, Coverage, Folding, Grammar, Identity, KeyScope, Memory};
use crate::reference::setup::{Caller, Kept, Setup, scope_text};
use crate::reference::store::{Slot, digest};
use crate::reference::template::unique;

/// One thing asked for once.
#[derive(Clone)]
pub struct Attempt {
    /// The operation.
    pub kept: Arc<Kept>,
    /// Who asks.
    pub caller: Caller,
    /// The request; for an item, the batch.
    pub call: Arc<Call>,
    /// What the path bound.
    pub bound: Json,
    /// What is asked for.
    pub body: Json,
    /// The key, as sent.
    pub key: Option<String>,
    /// Whether it is an item of a batch.
    pub is_item: bool,
    /// Whether its key was looked up before, and not found; only a saboteur does that.
    pub looked_up: bool,
    /// What a test hook asked for.
    pub hook: Hook,
}

impl Attempt {
    /// What tells this request from another one under the same key; the same text for the same request. None where any
    /// request under the key is the same.
    pub fn fingerprint(&self, setup: &Setup) -> Option<String> {
        let sameness = self.kept.operation.key().map_or(Sameness::Content, |rule| rule.sameness);
        match (sameness, setup.policy.compares) {
            (Sameness::KeyOnly, _) | (Sameness::Content, Compares::Nothing) => None,
            (Sameness::Content, Compares::Content) => Some(self.content()),
            (Sameness::Content, Compares::BodyAlone) => Some(digest(&[&self.body_without_key().content_key()])),
            (Sameness::Content, Compares::Bytes) if self.is_item => Some(self.digest_with(&self.body.to_string())),
            (Sameness::Content, Compares::Bytes) => Some(self.digest_with(&String::from_utf8_lossy(&self.call.body))),
        }
    }

    /// Method, path, query and content, without the key.
    pub fn content(&self) -> String {
        self.digest_with(&self.body_without_key().content_key())
    }

    /// Method, path and query, and one more text. The order of the query does not count.
    fn digest_with(&self, content: &str) -> String {
        let request = &self.kept.operation.request;
        let mut query: Vec<String> = self.call.query.iter().map(|(name, value)| digest(&[name, value])).collect();
        query.sort_unstable();
        digest(&[&request.method, &request.target, &self.bound.content_key(), &query.concat(), content])
    }

    fn body_without_key(&self) -> Json {
        let mut body = self.body.clone();
        if let Some(KeyPlace::Body(place)) = self.kept.operation.key().map(|rule| &rule.place) {
            body.remove(place);
        }
        body
    }

    /// Where the record of this request stands; none where nothing remembers it.
    pub fn slot(&self, setup: &Setup) -> Option<Slot> {
        self.kept.operation.key()?;
        let key = match (&self.key, setup.policy.identity) {
            (Some(key), _) if self.is_covered(setup.policy.coverage) => self.known_as(key, setup),
            (None, Identity::ContentWithoutKey) => return Some(self.content_slot(setup)),
            (None, Identity::Key | Identity::ContentToo) | (Some(_), _) => return None,
        };
        let space = match setup.policy.key_scope {
            KeyScope::AcrossOperations => "every operation".to_owned(),
            KeyScope::AsPromised | KeyScope::WithoutTheLast | KeyScope::WithoutTheFirst | KeyScope::OneCredential => {
                format!("key {}", self.kept.operation.name)
            }
        };
        Some(Slot { scope: self.key_scope(setup), space, key })
    }

    /// Where the record of this request would stand if its content were its key.
    pub fn content_slot(&self, setup: &Setup) -> Slot {
        let space = format!("content {}", self.kept.operation.name);
        Slot { scope: self.key_scope(setup), space, key: self.content() }
    }

    fn is_covered(&self, coverage: Coverage) -> bool {
        match coverage {
            Coverage::Everywhere => true,
            Coverage::NotInBatches => !self.is_item,
            Coverage::NotOutsideBatches => self.is_item || !self.kept.has_batch,
            Coverage::NotWhenChunked => !self.call.chunked,
        }
    }

    fn known_as(&self, key: &str, setup: &Setup) -> String {
        let kept: String = match setup.policy.grammar {
            Grammar::Truncates => key.chars().take(64).collect(),
            Grammar::Exact
            | Grammar::OtherUnit
            | Grammar::CrashesOnForbidden
            | Grammar::Unbounded
            | Grammar::ReplacesSurrogates
            | Grammar::CrashesOnOtherTypes
            | Grammar::Requires
            | Grammar::NeverRequires => key.to_owned(),
        };
        let folded = match setup.policy.folding {
            Folding::None => kept,
            Folding::Case => kept.to_lowercase(),
            Folding::Spaces => kept.trim().to_owned(),
            Folding::Accents => without_accents(&kept),
        };
        match setup.policy.memory {
            Memory::WrittenElsewhere => unique(&folded),
            Memory::Shared | Memory::EachReplica | Memory::ForgottenAtStart => folded,
        }
    }

    fn key_scope(&self, setup: &Setup) -> String {
        let scopes = self.caller.scopes.as_slice();
        let scope = match setup.policy.key_scope {
            KeyScope::AsPromised | KeyScope::AcrossOperations => scope_text(scopes),
            KeyScope::WithoutTheLast => scope_text(scopes.split_last().map_or(scopes, |(_, others)| others)),
            KeyScope::WithoutTheFirst => scope_text(scopes.split_first().map_or(scopes, |(_, others)| others)),
            KeyScope::OneCredential => format!("{} {}", self.caller.credential, scope_text(scopes)),
        };
        match setup.policy.memory {
            Memory::EachReplica => format!("{} {scope}", setup.replica),
            Memory::Shared | Memory::ForgottenAtStart | Memory::WrittenElsewhere => scope,
        }
    }
}

/// Latin letters without their accents, whether these are composed or follow as combining marks.
fn without_accents(text: &str) -> String {
    let plain = |letter: char| match letter {
        'à'..='å' => 'a',
        'ç' => 'c',
        'è'..='ë' => 'e',
        'ì'..='ï' => 'i',
        'ñ' => 'n',
        'ò'..='ö' => 'o',
        'ù'..='ü' => 'u',
        'À'..='Å' => 'A',
        'Ç' => 'C',
        'È'..='Ë' => 'E',
        'Ì'..='Ï' => 'I',
        'Ñ' => 'N',
        'Ò'..='Ö' => 'O',
        'Ù'..='Ü' => 'U',
        other => other,
    };
    text.chars().filter(|letter| !('\u{300}'..='\u{36f}').contains(letter)).map(plain).collect()
}
