package dev.loom.otlp.wire;

/** The layout of a field's value: the lower three bits of its tag. */
public final class WireType {
    public static final int VARINT = 0;
    public static final int FIXED64 = 1;
    /** A varint length, then that many bytes: strings, bytes, messages, packed numbers. */
    public static final int LENGTH = 2;
    /** Fields up to the {@link #END_GROUP} tag of the same number. */
    public static final int START_GROUP = 3;

    public static final int END_GROUP = 4;
    public static final int FIXED32 = 5;

    /** The number of bits in a tag that hold the wire type; the field's number is above them. */
    public static final int BITS = 3;

    public static final int MASK = (1 << BITS) - 1;

    private WireType() {}
}
