package dev.loom.otlp.json;

import org.agrona.MutableDirectBuffer;

/** Memory that does not grow. */
record FixedTarget(MutableDirectBuffer buffer, int offset, int capacity) implements JsonTarget {
    @Override
    public boolean ensure(int length) {
        return length <= capacity;
    }
}
