//! Reading and changing one place of a JSON value through a [`Pointer`].
//! It never creates a missing parent, and never touches another member than the one a reader would see.

use crate::json::pointer::Pointer;
use crate::json::text::Text;
use crate::json::tree::Json;

impl Json {
    /// The value at `p`; of duplicate members, the last.
    pub fn at(&self, p: &Pointer) -> Option<&Json> {
        p.tokens().iter().try_fold(self, |value, token| match value {
            Json::Object(members) => place(members, token).and_then(|place| members.get(place)).map(|(_, value)| value),
            Json::Array(items) => index(token).and_then(|index| items.get(index)),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
        })
    }

    /// Puts `value` at `p`, and says whether the place was found.
    ///
    /// A member or item that is there is replaced, a member that is not there is appended, and `-` appends an item.
    /// `false`, and nothing has changed, when the parent is missing or has no such item.
    pub fn set(&mut self, p: &Pointer, value: Json) -> bool {
        let Some((last, parents)) = p.tokens().split_last() else {
            *self = value;
            return true;
        };
        match self.at_mut(parents) {
            Some(Json::Object(members)) => match place(members, last).and_then(|place| members.get_mut(place)) {
                Some((_, old)) => *old = value,
                None => members.push((last.clone(), value)),
            },
            Some(Json::Array(items)) if last == "-" => items.push(value),
            Some(Json::Array(items)) => match index(last).and_then(|index| items.get_mut(index)) {
                Some(old) => *old = value,
                None => return false,
            },
            Some(Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_)) | None => return false,
        }
        true
    }

    /// Takes the value at `p` away and returns it.
    ///
    /// Of duplicate members all go and the last is returned, since otherwise an overwritten one would come to light.
    /// The whole value cannot be removed.
    pub fn remove(&mut self, p: &Pointer) -> Option<Json> {
        let (last, parents) = p.tokens().split_last()?;
        match self.at_mut(parents)? {
            Json::Object(members) => {
                let seen = members.remove(place(members, last)?).1;
                members.retain(|(name, _)| name != last);
                Some(seen)
            }
            Json::Array(items) => {
                let index = index(last).filter(|index| *index < items.len())?;
                Some(items.remove(index))
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
        }
    }

    fn at_mut(&mut self, tokens: &[Text]) -> Option<&mut Json> {
        tokens.iter().try_fold(self, |value, token| match value {
            Json::Object(members) => {
                let place = place(members, token)?;
                members.get_mut(place).map(|(_, value)| value)
            }
            Json::Array(items) => index(token).and_then(|index| items.get_mut(index)),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
        })
    }
}

/// Where the member that a reader sees under this name stands.
fn place(members: &[(Text, Json)], name: &Text) -> Option<usize> {
    members.iter().rposition(|(own, _)| own == name)
}

/// RFC 6901 allows one spelling of an index: digits without a superfluous zero.
fn index(token: &Text) -> Option<usize> {
    let digits = token.as_str()?;
    let one_spelling = digits == "0" || !digits.starts_with(['0', '+']);
    one_spelling.then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Just, Strategy, prop_assert, prop_assert_eq, proptest};

    use super::{Json, Pointer};
    use crate::json::arbitrary::{json, text};

    fn parsed(text: &str) -> Json {
        text.parse().unwrap()
    }

    fn pointer(text: &str) -> Pointer {
        text.parse().unwrap()
    }

    #[test]
    fn items_and_members_are_found() {
        let order = parsed(r#"{"items":[{"id":"a"},{"id":"b","id":"c"}],"":0,"a/b":1}"#);
        assert_eq!(order.at(&pointer("/items/1/id")), Some(&Json::text("c")));
        assert_eq!(order.at(&pointer("/")), Some(&Json::from(0)));
        assert_eq!(order.at(&pointer("/a~1b")), Some(&Json::from(1)));
        assert_eq!(order.at(&pointer("")), Some(&order));
        for missing in ["/items/2", "/items/-", "/items/01", "/items/+1", "/items/x", "/items/0/id/x", "/no"] {
            assert_eq!(order.at(&pointer(missing)), None, "{missing}");
        }
    }

    #[test]
    fn set_replaces_creates_and_appends_but_makes_no_parent() {
        let mut order = parsed(r#"{"items":[1],"n":1,"n":2}"#);
        assert!(order.set(&pointer("/items/-"), Json::from(2)));
        assert!(order.set(&pointer("/items/0"), Json::from(0)));
        assert!(order.set(&pointer("/new"), Json::Null));
        assert!(order.set(&pointer("/n"), Json::from(3)));
        assert_eq!(order.to_string(), r#"{"items":[0,2],"n":1,"n":3,"new":null}"#);
        for refused in ["/items/2", "/items/x", "/no/new", "/n/new", "/items/7/a"] {
            let before = order.clone();
            assert!(!order.set(&pointer(refused), Json::Null), "{refused}");
            assert_eq!(order, before);
        }
    }

    #[test]
    fn removing_a_duplicate_member_brings_no_older_one_to_light() {
        let mut twice = parsed(r#"{"a":1,"b":[1,2],"a":2}"#);
        assert_eq!(twice.remove(&pointer("/a")), Some(Json::from(2)));
        assert_eq!(twice.remove(&pointer("/a")), None);
        assert_eq!(twice.remove(&pointer("/b/0")), Some(Json::from(1)));
        assert_eq!(twice.remove(&pointer("/b/1")), None);
        assert_eq!(twice.remove(&pointer("")), None);
        assert_eq!(twice.to_string(), r#"{"b":[2]}"#);
    }

    /// A value and a pointer at something inside it, at a new member of the root, or at nothing.
    fn placed() -> impl Strategy<Value = (Json, Pointer)> {
        json().prop_flat_map(|tree| {
            let mut places = Vec::new();
            collect(&tree, &Pointer::root(), &mut places);
            (Just(tree), proptest::sample::select(places), proptest::option::weighted(0.3, text()))
                .prop_map(|(tree, place, more)| (tree, more.map_or(place.clone(), |token| place.push(token))))
        })
    }

    fn collect(value: &Json, here: &Pointer, places: &mut Vec<Pointer>) {
        places.push(here.clone());
        for (index, item) in value.as_array().unwrap_or_default().iter().enumerate() {
            collect(item, &here.push(index.to_string()), places);
        }
        for (name, _) in value.as_object().unwrap_or_default() {
            let below = here.push(name);
            collect(value.at(&Pointer::root().push(name)).unwrap(), &below, places);
        }
    }

    proptest! {
        #[test]
        fn what_was_set_is_there_and_setting_it_back_restores_the_tree((tree, place) in placed(), new in json()) {
            let mut changed = tree.clone();
            let old = tree.at(&place).cloned();
            let found = changed.set(&place, new.clone());
            prop_assert!(found || old.is_none());
            if let Some(old) = old {
                prop_assert_eq!(changed.at(&place), Some(&new));
                prop_assert!(changed.set(&place, old));
                prop_assert_eq!(changed, tree);
            } else if !found {
                prop_assert_eq!(changed, tree);
            }
        }

        #[test]
        fn removing_returns_what_was_there((tree, place) in placed()) {
            let mut changed = tree.clone();
            let removed = changed.remove(&place);
            if place.is_root() || tree.at(&place).is_none() {
                prop_assert_eq!(removed, None);
                prop_assert_eq!(changed, tree);
            } else {
                prop_assert_eq!(removed.as_ref(), tree.at(&place));
                prop_assert!(!changed.same_content(&tree));
            }
        }

        #[test]
        fn removing_a_member_just_created_restores_the_tree(name in text(), new in json(), members in json()) {
            let mut tree = Json::Object(vec![("x".into(), members)]);
            let place = Pointer::root().push(&name);
            if tree.at(&place).is_none() {
                let before = tree.clone();
                prop_assert!(tree.set(&place, new.clone()));
                prop_assert_eq!(tree.at(&place), Some(&new));
                prop_assert_eq!(tree.remove(&place), Some(new));
                prop_assert_eq!(tree, before);
            }
        }
    }
}
