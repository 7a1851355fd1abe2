//! A frontier that survives being killed, kept in an embedded store.
