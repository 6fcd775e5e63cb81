package dev.loom.cli.importing;

import org.agrona.DirectBuffer;

/** Takes the payloads of one source. */
public interface RecordTarget {
    /**
     * Pushes {@code count} payloads, which lie back to back from offset 0.
     *
     * @return how many were taken; the others are lost
     */
    int push(DirectBuffer payloads, int[] lengths, int count);

    /** The longest payload accepted, bytes. */
    int payloadLengthMax();
}
