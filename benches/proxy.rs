//! What the proxy costs: a small POST over keep-alive connections, direct to a bare origin and through the proxy with
//! its records on, by turns in one process. It never measures a fault, and never fails for a missed aim.
//!
//! CPU is that of this whole process, callers and origin and proxy. What an exchange costs without the proxy is measured
//! direct and subtracted; what is left is the proxy's, together with every wake-up that it causes elsewhere.

mod aims;

use std::hint::black_box;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use aims::{Asked, Figure, show};
use criterion::{Criterion, Throughput};
use nix::sys::resource::{UsageWho, getrusage};
use onceproof::history::OriginEnd;
use onceproof::proxy::{Limits, Proxy};
use onceproof::time::Clock;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

const BODY: &str =
    r#"{"element":"welcome_email_subject","user_id":"u-123456","idempotency_key":"8e03978e-40d5-43dd-bc93-6894"}"#;
const ANSWER: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nDate: Tue, 01 Dec 2026 00:00:00 GMT\r\n\
    Content-Length: 40\r\n\r\n{\"decision_id\":\"dec_41\",\"variant\":\"abc\"}";

static HEAD: LazyLock<String> = LazyLock::new(|| {
    format!(
        "POST /v1/decide HTTP/1.1\r\nHost: reference.test\r\nContent-Type: application/json\r\n\
         Authorization: Bearer acme-live-1\r\nUser-Agent: bench\r\nContent-Length: {}\r\n\r\n",
        BODY.len()
    )
});
static REQUEST: LazyLock<String> = LazyLock::new(|| format!("{}{BODY}", *HEAD));

const CONNECTIONS: usize = 16;
/// Turns of direct and proxied; the median of them is told.
const ROUNDS: usize = 9;
const EXCHANGES: u64 = 8_000;
/// Exchanges of the one connection whose waits are told.
const ALONE: u64 = 4_000;
/// How long a kernel waits before it acknowledges by itself: the step that two small writes without TCP_NODELAY cost.
const DELAYED_ACK: Duration = Duration::from_millis(40);

fn main() {
    let asked = Asked::of_process();
    let runtime = Runtime::new().expect("threads");
    let bench = runtime.block_on(Bench::open());
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3))
        .configure_from_args();
    timed(&mut criterion, &runtime, &bench);
    criterion.final_summary();
    if asked == Asked::Figures {
        show("proxy, 16 connections", &runtime.block_on(throughput(&bench)));
        show("proxy, 1 connection, head and body written apart", &runtime.block_on(waits(&bench)));
    }
}

fn timed(criterion: &mut Criterion, runtime: &Runtime, bench: &Bench) {
    let mut group = criterion.benchmark_group("exchange over 16 connections");
    group.throughput(Throughput::Elements(1));
    for (name, road) in [("direct", Road::Direct), ("through the proxy", Road::Proxied)] {
        group.bench_function(name, |timer| {
            timer.iter_custom(|exchanges| {
                runtime.block_on(bench.round(road, CONNECTIONS, exchanges, Writes::Together)).wall
            });
        });
    }
    group.finish();
}

/// Throughput and CPU. Only figures of the same turn are set against each other: the machine may be busy otherwise.
async fn throughput(bench: &Bench) -> Vec<Figure> {
    let mut turns = Vec::new();
    for _ in 0..ROUNDS {
        let direct = bench.round(Road::Direct, CONNECTIONS, EXCHANGES, Writes::Together).await;
        let proxied = bench.round(Road::Proxied, CONNECTIONS, EXCHANGES, Writes::Together).await;
        turns.push((direct, proxied));
    }
    let told = |what: &str, unit, aim, of: &dyn Fn(&(Round, Round)) -> f64| Figure {
        what: what.to_owned(),
        value: median(turns.iter().map(of).collect()),
        unit,
        aim,
    };
    let rate = |round: &Round| 1.0 / round.wall_each();
    let micros = |seconds: f64| seconds * 1e6;
    vec![
        told("throughput, direct", "/s", None, &|(direct, _)| rate(direct)),
        told("throughput, through the proxy", "/s", None, &|(_, proxied)| rate(proxied)),
        told("throughput, proxied to direct", "×", Some(0.30..f64::INFINITY), &|(direct, proxied)| {
            rate(proxied) / rate(direct)
        }),
        told("CPU an exchange, direct", "µs", None, &|(direct, _)| micros(direct.cpu_each())),
        told("CPU an exchange, through the proxy", "µs", None, &|(_, proxied)| micros(proxied.cpu_each())),
        told("CPU an exchange, the proxy's own", "µs", Some(0.0..20.0), &|(direct, proxied)| {
            micros(proxied.cpu_each() - direct.cpu_each())
        }),
    ]
}

/// How long one caller waits. It writes head and body apart, which is what would bring a delayed acknowledgement out.
async fn waits(bench: &Bench) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (name, road) in [("direct", Road::Direct), ("through the proxy", Road::Proxied)] {
        let mut waits = bench.round(road, 1, ALONE, Writes::Apart).await.waits;
        waits.sort_unstable();
        let aim = match road {
            Road::Direct => None,
            Road::Proxied => Some(0.0..DELAYED_ACK.as_secs_f64() * 1e6),
        };
        for (part, per_mille, aim) in [("p50", 500, None), ("p99", 990, aim), ("longest", 1000, None)] {
            let place = (waits.len() * per_mille / 1000).min(waits.len() - 1);
            let value = waits[place].as_secs_f64() * 1e6;
            figures.push(Figure { what: format!("wait for an answer, {name}, {part}"), value, unit: "µs", aim });
        }
    }
    figures
}

#[derive(Clone, Copy)]
enum Road {
    Direct,
    Proxied,
}

#[derive(Clone, Copy)]
enum Writes {
    /// Head and body at once.
    Together,
    /// One after the other.
    Apart,
}

struct Bench {
    origin: SocketAddr,
    proxy: Proxy,
}

/// What came of one round.
struct Round {
    exchanges: u64,
    wall: Duration,
    cpu: Duration,
    waits: Vec<Duration>,
}

impl Round {
    fn wall_each(&self) -> f64 {
        self.wall.as_secs_f64() / self.exchanges as f64
    }

    fn cpu_each(&self) -> f64 {
        self.cpu.as_secs_f64() / self.exchanges as f64
    }
}

impl Bench {
    async fn open() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
        let origin = listener.local_addr().expect("bound");
        tokio::spawn(serve(listener));
        let proxy = Proxy::open(origin, Clock::start(), Limits::default()).await.expect("a port");
        Self { origin, proxy }
    }

    /// So many exchanges over so many connections that stand already. Taking the records is part of it.
    async fn round(&self, road: Road, connections: usize, exchanges: u64, writes: Writes) -> Round {
        let to = match road {
            Road::Direct => self.origin,
            Road::Proxied => self.proxy.addr(),
        };
        let mut streams = Vec::new();
        for _ in 0..connections {
            let mut stream = TcpStream::connect(to).await.expect("a connection");
            stream.set_nodelay(true).expect("an open socket");
            exchange(&mut stream, writes).await;
            streams.push(stream);
        }
        self.proxy.settle(Duration::from_secs(1)).await;
        let (began, cpu) = (Instant::now(), cpu());
        let callers = (0..).zip(streams).map(|(place, mut stream)| {
            let share = exchanges / connections as u64 + u64::from(place < exchanges % connections as u64);
            tokio::spawn(async move {
                let mut waits = Vec::new();
                for _ in 0..share {
                    let sent = Instant::now();
                    exchange(&mut stream, writes).await;
                    waits.push(sent.elapsed());
                }
                (stream, waits)
            })
        });
        let callers: Vec<_> = callers.collect();
        let (mut waits, mut open) = (Vec::new(), Vec::new());
        for caller in callers {
            let (stream, own) = caller.await.expect("a caller that ends");
            waits.extend(own);
            open.push(stream);
        }
        let records = match road {
            Road::Direct => Vec::new(),
            Road::Proxied => black_box(self.proxy.settle(Duration::from_secs(1)).await),
        };
        let round = Round { exchanges, wall: began.elapsed(), cpu: self::cpu() - cpu, waits };
        if let Road::Proxied = road {
            let whole = records.iter().filter(|record| matches!(record.origin, OriginEnd::Answered(_)));
            assert_eq!(whole.count() as u64, exchanges, "every exchange has its record");
        }
        round
    }
}

/// The bare origin: it counts bytes, for every request is as long as the next.
async fn serve(listener: TcpListener) {
    loop {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        stream.set_nodelay(true).expect("an open socket");
        tokio::spawn(async move {
            let mut bytes = [0; 1024];
            let mut come = 0;
            while let Ok(more @ 1..) = stream.read(&mut bytes).await {
                come += more;
                if come >= REQUEST.len() {
                    come = 0;
                    if stream.write_all(ANSWER.as_bytes()).await.is_err() {
                        return;
                    }
                }
            }
        });
    }
}

async fn exchange(stream: &mut TcpStream, writes: Writes) {
    let sent = match writes {
        Writes::Together => stream.write_all(REQUEST.as_bytes()).await,
        Writes::Apart => match stream.write_all(HEAD.as_bytes()).await {
            Ok(()) => stream.write_all(BODY.as_bytes()).await,
            failed => failed,
        },
    };
    sent.expect("a connection that stands");
    let mut bytes = [0; 1024];
    let mut come = 0;
    while come < ANSWER.len() {
        let more = stream.read(&mut bytes).await.expect("a connection that stands");
        assert!(more > 0, "the connection ended before its answer");
        come += more;
    }
}

/// CPU that this process has used.
fn cpu() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("the kernel keeps count");
    let spent = usage.user_time() + usage.system_time();
    Duration::new(spent.tv_sec().unsigned_abs(), u32::try_from(spent.tv_usec() * 1000).expect("less than a second"))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
