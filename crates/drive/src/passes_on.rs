//! Calls that a device around another one leaves to it.

/// The calls of [`Device`](crate::Device) that a device with a field `device` passes on as they are.
macro_rules! passes_on {
    () => {
        fn capacity_sectors(&self) -> u64 {
            self.device.capacity_sectors()
        }

        fn atomic_bytes(&self) -> u64 {
            self.device.atomic_bytes()
        }

        fn begin_time(&mut self, now: ::ftlab_base::SimTime) {
            self.device.begin_time(now);
        }

        fn note_time(&mut self, now: ::ftlab_base::SimTime) {
            self.device.note_time(now);
        }

        fn expect(&self, command: &::ftlab_base::Command) {
            self.device.expect(command);
        }

        fn erase_counts(&self) -> &[u32] {
            self.device.erase_counts()
        }

        fn fault(&self) -> Option<String> {
            self.device.fault()
        }

        fn health(&self) -> Option<$crate::Health> {
            self.device.health()
        }

        fn rest(&mut self, hours: f64, celsius: f64) {
            self.device.rest(hours, celsius);
        }

        fn counters(&self) -> $crate::Counters {
            self.device.counters()
        }

        fn energy(&self, now: ::ftlab_base::SimTime) -> Option<$crate::Energy> {
            self.device.energy(now)
        }

        fn temperature(&self, now: ::ftlab_base::SimTime) -> Option<$crate::Temperature> {
            self.device.temperature(now)
        }

        fn rest_watts(&self) -> Option<f64> {
            self.device.rest_watts()
        }

        fn dirty(&self) -> Vec<::std::ops::Range<u64>> {
            self.device.dirty()
        }

        fn cache_sectors(&self) -> u64 {
            self.device.cache_sectors()
        }

        fn restart_stream_hash(&mut self) {
            self.device.restart_stream_hash();
        }

        fn page_layer(&self) -> Option<&dyn ::ftlab_ftl::page::PageMapped> {
            self.device.page_layer()
        }

        fn fork(&self) -> Box<dyn $crate::Device> {
            Box::new(self.clone())
        }

        fn ssd(&self) -> Option<&$crate::ssd::Ssd> {
            self.device.ssd()
        }

        fn ssd_mut(&mut self) -> Option<&mut $crate::ssd::Ssd> {
            self.device.ssd_mut()
        }

        fn restore(
            &mut self,
            state: $crate::state::DeviceState,
        ) -> Result<(), ::ftlab_nand::StateError> {
            self.device.restore(state)
        }
    };
}

pub(crate) use passes_on;
