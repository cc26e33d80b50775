//! The one integration binary: each further one is another large link.

mod adapter;
mod architecture;
mod cli;
mod clients;
mod driver;
mod example;
mod files;
mod hostile;
mod independent;
mod init;
mod interop;
mod judge_laws;
mod malformed;
mod process;
mod proxy;
mod readme;
mod relay;
mod scenarios;
mod schemas;
mod slips;
mod subjects;
mod support;
mod tls;
mod unlisted;
mod waivers;
