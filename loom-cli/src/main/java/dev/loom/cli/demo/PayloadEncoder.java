package dev.loom.cli.demo;

import dev.loom.format.StructWriter;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Writes the records of one source, field by field in declared order, and passes them on. Reused. For one thread. */
final class PayloadEncoder {
    private static final int CAPACITY = 1024;

    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[CAPACITY]);
    private final DemoSource source;
    private final StructWriter writer;
    private int field;

    PayloadEncoder(DemoSource source) {
        this.source = source;
        this.writer = new StructWriter(source.format());
    }

    PayloadEncoder begin() {
        writer.begin(buffer, 0);
        field = 0;
        return this;
    }

    PayloadEncoder integer(long value) {
        writer.setLong(field, value);
        field++;
        return this;
    }

    PayloadEncoder text(String value) {
        writer.setUtf8(field, value);
        field++;
        return this;
    }

    /** The first {@code length} bytes of a buffer. */
    PayloadEncoder bytes(DirectBuffer value, int length) {
        writer.setBytes(field, value, 0, length);
        field++;
        return this;
    }

    void recordTo(TelemetrySink sink) {
        sink.record(source, buffer, 0, writer.finish());
    }
}
