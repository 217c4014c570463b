//! Preconditioning, steady state, the tests of the reviews, and their scores.
