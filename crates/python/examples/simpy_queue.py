"""A queueing model of SimPy's whose disk is a drive of ftlab: clients come at random, and each reads and then writes.

    pip install ftlab simpy
    python simpy_queue.py [CLIENTS_A_SECOND]
"""

from __future__ import annotations

import random
import statistics
import sys
from collections.abc import Generator
from typing import Any

import simpy

import ftlab

Wait = Generator[simpy.Event, Any, None]


class Disk:
    """A drive as a resource of SimPy's. The time of its environment is in whole nanoseconds."""

    def __init__(self, environment: simpy.Environment, device: ftlab.Device) -> None:
        self.environment = environment
        self.device = device
        self.ends: dict[int, simpy.Event] = {}
        self.asked = environment.event()
        environment.process(self._run())

    def request(self, operation: str, offset: int, length: int) -> simpy.Event:
        """Sends a request at the present. What it gives happens when the request has ended."""
        self._come_to_the_present()
        number = self.device.submit(operation, offset, length, now_ns=int(self.environment.now))
        self.ends[number] = self.environment.event()
        if not self.asked.triggered:
            self.asked.succeed()
        return self.ends[number]

    def _come_to_the_present(self) -> None:
        for end in self.device.advance(int(self.environment.now)):
            self.ends.pop(end.id).succeed(end)

    def _run(self) -> Wait:
        """Wakes at the drive's next event, or when somebody has asked for something, which may bring an earlier one."""
        while True:
            next_ns = self.device.next_event_ns
            waits: list[simpy.Event] = [self.asked]
            if next_ns is not None:
                waits.append(self.environment.timeout(next_ns - int(self.environment.now)))
            yield self.environment.any_of(waits)
            if self.asked.triggered:
                self.asked = self.environment.event()
            self._come_to_the_present()


def client(environment: simpy.Environment, disk: Disk, places: random.Random, latencies_ns: list[int]) -> Wait:
    """Reads a page and writes it again."""
    began_ns = int(environment.now)
    offset = places.randrange(disk.device.capacity_bytes // 4096) * 4096
    yield disk.request("read", offset, 4096)
    yield disk.request("write", offset, 4096)
    latencies_ns.append(int(environment.now) - began_ns)


def arrivals(environment: simpy.Environment, disk: Disk, a_second: float, count: int, latencies_ns: list[int]) -> Wait:
    """Clients that come by a Poisson process."""
    draws = random.Random(1)
    for _ in range(count):
        yield environment.timeout(int(draws.expovariate(a_second) * 1e9))
        environment.process(client(environment, disk, draws, latencies_ns))


def latencies(device: ftlab.Device, a_second: float, count: int = 20_000) -> list[int]:
    """The latencies of clients that come at a rate, in nanoseconds."""
    environment = simpy.Environment(initial_time=0)
    latencies_ns: list[int] = []
    environment.process(arrivals(environment, Disk(environment, device), a_second, count, latencies_ns))
    environment.run(until=environment.now + int((count / a_second + 10) * 1e9))
    return latencies_ns


def main() -> None:
    """Prints what two drives of different years make of the same clients."""
    a_second = float(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    for drive in ["intel-x25-m-g2-160", "samsung-980-pro-1000"]:
        device = ftlab.Device(drive, shrink_to=3 << 30, state="used")
        of_all = latencies(device, a_second)
        median, p99 = statistics.median(of_all), statistics.quantiles(of_all, n=100)[98]
        print(f"{drive:22} {len(of_all):6} clients, median {median / 1e3:8.1f} us, p99 {p99 / 1e3:8.1f} us")


if __name__ == "__main__":
    main()
