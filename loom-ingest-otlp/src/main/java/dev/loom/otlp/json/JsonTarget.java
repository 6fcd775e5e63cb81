package dev.loom.otlp.json;

import org.agrona.MutableDirectBuffer;

/** Memory that a protobuf message is written to: it grows, and may move with what is in it. For one thread. */
public interface JsonTarget {
    /** Holds the message; may change with {@link #ensure}. */
    MutableDirectBuffer buffer();

    /** Of the message's first byte in {@link #buffer()}; may change with {@link #ensure}. */
    int offset();

    /** Makes room for a message of this length, keeping what is there. Returns whether there is. */
    boolean ensure(int length);
}
