//! Where an answer is cut, as a number of its bytes. A pure function: the same answer is always cut at the same byte.

use crate::fault::CutPlace;
use crate::proxy::upstream::Answer;

/// How many bytes the caller is given; none when the answer has no such place, so that nothing would be missing.
pub(super) fn place(at: CutPlace, answer: &Answer) -> Option<usize> {
    let (head, all) = (answer.head, answer.bytes.len());
    let bytes = match at {
        CutPlace::Start => 0,
        CutPlace::Head => head / 2,
        CutPlace::AfterHead => head,
        CutPlace::Body => head + (all - head) / 2,
        CutPlace::LastChunk if all == head => all,
        CutPlace::LastChunk => answer.last_chunk.unwrap_or(all - 1),
        CutPlace::Bytes(bytes) => usize::try_from(bytes).unwrap_or(all),
    };
    (bytes < all).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proxy::wire::Asked;

    fn check(at: CutPlace, head: usize, body: usize, last_chunk: Option<usize>) -> Option<usize> {
        let bytes = vec![b'x'; head + body];
        place(at, &Answer { bytes, head, last_chunk, keep_alive: true, status: 200, asked: Asked::Whole })
    }

    #[test]
    fn each_place_is_before_the_end_or_nowhere() {
        use CutPlace::{AfterHead, Body, Bytes, Head, LastChunk, Start};
        for (at, with_body, without) in [
            (Start, Some(0), Some(0)),
            (Head, Some(50), Some(50)),
            (AfterHead, Some(100), None),
            (Body, Some(110), None),
            (LastChunk, Some(120), None),
            (Bytes(120), Some(120), None),
            (Bytes(121), None, None),
            (Bytes(u64::MAX), None, None),
        ] {
            assert_eq!((check(at, 100, 21, None), check(at, 100, 0, None)), (with_body, without), "{at}");
        }
        assert_eq!(check(LastChunk, 100, 21, Some(116)), Some(116));
        assert_eq!(check(Body, 100, 1, None), Some(100));
    }
}
