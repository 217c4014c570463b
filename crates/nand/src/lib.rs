//! The NAND array's state: what is programmed, what is legal, what is worn.
