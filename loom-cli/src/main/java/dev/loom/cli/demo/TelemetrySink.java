package dev.loom.cli.demo;

import org.agrona.DirectBuffer;

/** Takes the records of the workload. Usable from any thread; a record is copied before the call returns. */
@FunctionalInterface
interface TelemetrySink {
    void record(DemoSource source, DirectBuffer payload, int offset, int length);
}
