//! Flash translation layers: mapping, allocation, garbage collection, TRIM. They know no clock.
