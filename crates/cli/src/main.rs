//! The command line of Scenthound.

fn main() {}
