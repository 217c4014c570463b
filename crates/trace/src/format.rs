//! The formats: what each is called, what its columns are, and what it carries.

use crate::formats::{
    alibaba, blkparse, blktrace, columns, disksim, fio, fiu, msr, spc, systor, tencent, vscsi,
    vscsi_csv,
};
use crate::spec::Spec;

/// A format of traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// MSR Cambridge.
    Msr,
    /// Alibaba block traces of 2020.
    Alibaba,
    /// Tencent CBS of 2018.
    Tencent,
    /// The Storage Performance Council's, of the UMass repository.
    Spc,
    /// FIU's, with digests of the data.
    Fiu,
    /// The LUN traces of SYSTOR '17.
    Systor,
    /// The text that blkparse prints.
    Blkparse,
    /// The records that blktrace writes.
    Blktrace,
    /// fio's iolog, version 2.
    FioV2,
    /// fio's iolog, version 3.
    FioV3,
    /// MQSim's ASCII traces.
    MqSim,
    /// DiskSim's ASCII traces.
    DiskSim,
    /// CloudPhysics' vscsi traces.
    Vscsi,
    /// The same as libCacheSim has them in text.
    VscsiCsv,
    /// Comma-separated values with named columns.
    Csv,
    /// Parquet with named columns.
    #[cfg(feature = "parquet")]
    Parquet,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 15 + cfg!(feature = "parquet") as usize] = [
        Format::Msr,
        Format::Alibaba,
        Format::Tencent,
        Format::Spc,
        Format::Fiu,
        Format::Systor,
        Format::Blkparse,
        Format::Blktrace,
        Format::FioV2,
        Format::FioV3,
        Format::MqSim,
        Format::DiskSim,
        Format::Vscsi,
        Format::VscsiCsv,
        Format::Csv,
        #[cfg(feature = "parquet")]
        Format::Parquet,
    ];

    /// Its name, its columns, and the properties of requests that it carries.
    #[must_use]
    pub fn spec(self) -> &'static Spec {
        match self {
            Format::Msr => &msr::SPEC,
            Format::Alibaba => &alibaba::SPEC,
            Format::Tencent => &tencent::SPEC,
            Format::Spc => &spc::SPEC,
            Format::Fiu => &fiu::SPEC,
            Format::Systor => &systor::SPEC,
            Format::Blkparse => &blkparse::SPEC,
            Format::Blktrace => &blktrace::SPEC,
            Format::FioV2 => &fio::V2,
            Format::FioV3 => &fio::V3,
            Format::MqSim => &disksim::MQSIM,
            Format::DiskSim => &disksim::DISKSIM,
            Format::Vscsi => &vscsi::SPEC,
            Format::VscsiCsv => &vscsi_csv::SPEC,
            Format::Csv => &columns::SPEC,
            #[cfg(feature = "parquet")]
            Format::Parquet => &crate::formats::parquet::SPEC,
        }
    }

    /// The one that `--format` calls so.
    #[must_use]
    pub fn named(name: &str) -> Option<Format> {
        Format::ALL
            .into_iter()
            .find(|format| format.spec().name == name)
    }
}
