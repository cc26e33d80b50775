//! The reference server over the network, as a harness would meet it.

mod answers;
mod contract;
mod edge;
mod gate;
mod honest;
mod keys;
mod lab;
mod lies;
mod postgres;
mod repeats;
mod replicas;
