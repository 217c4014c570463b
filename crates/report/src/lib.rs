//! Results as a terminal table and as one self-contained HTML page. Never links the simulator.
