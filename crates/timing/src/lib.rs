//! Dies, channels and serial servers: an event heap that prices NAND operations. It knows no LPN.
