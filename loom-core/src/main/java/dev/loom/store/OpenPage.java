package dev.loom.store;

import dev.loom.log.PageDescriptor;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A page of the record log that was open when the power was cut, as its last durable copy has it.
 *
 * @param bytes the whole page, as if it had been sealed then
 */
record OpenPage(long address, ByteBuffer bytes) {
    UnsafeBuffer buffer() {
        return new UnsafeBuffer(bytes);
    }

    /** The end of its last record. */
    long end() {
        return address + PageDescriptor.used(buffer(), 0);
    }

    long lastTimeNs() {
        return PageDescriptor.lastTimeNs(buffer(), 0);
    }
}
