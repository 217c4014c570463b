//! A whole drive: queue, link, write buffer, translation layer and timing; the hard disk; the drive-file schema.
