//! Rebuilds when a bundled file is added, removed or changed: the macro that bundles them notices edits only.

fn main() {
    println!("cargo:rerun-if-changed=scenarios");
    println!("cargo:rerun-if-changed=reports/kill-matrix.txt");
}
