use crate::reference::tests::lab::{Lab, decide};
#[tokio::test(flavor = "multi_thread")]
async fn bench() {
    let lab = Lab::honest().await;
    for n in 0..200 {
        lab.post("/v1/decide", &decide("u", &format!("w{n}"))).await;
    }
    let t = std::time::Instant::now();
    for n in 0..2000 {
        lab.post("/v1/decide", &decide(&format!("u{n}"), &format!("k{n}"))).await;
    }
    println!("fresh {:?}", t.elapsed() / 2000);
    let t = std::time::Instant::now();
    for n in 0..2000 {
        lab.post("/v1/decide", &decide(&format!("u{n}"), &format!("k{n}"))).await;
    }
    println!("replay {:?}", t.elapsed() / 2000);
}
