package dev.loom.format;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A lookup for tests of what is made of a record that is found, or can't be read; what is found has no bytes. */
public abstract class LookupWithoutPayloads implements RecordLookup {
    /** How often a record could not be read. */
    protected long failures;

    @Override
    public void from(long recordAddress) {}

    @Override
    public boolean mayRefer(long address) {
        return true;
    }

    @Override
    public DirectBuffer buffer() {
        return new UnsafeBuffer(new byte[0]);
    }

    @Override
    public int offset() {
        return 0;
    }

    @Override
    public int length() {
        return 0;
    }

    @Override
    public long failures() {
        return failures;
    }

    @Override
    public void close() {}
}
