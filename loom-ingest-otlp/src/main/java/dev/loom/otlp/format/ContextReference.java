package dev.loom.otlp.format;

/**
 * A record's reference to its context, little-endian in the first bytes of its payload: the context's address, a multiple of
 * {@link #ALIGNMENT}, plus {@link #FIELDS_ONCE} if that holds.
 */
public final class ContextReference {
    /** The length of a reference, in bytes. */
    public static final int LENGTH = Long.BYTES;

    /** The alignment of addresses in the record log. */
    static final int ALIGNMENT = 8;

    /**
     * Set if no field of the record's message or its nested messages occurs twice, except repeated ones, so that a reader
     * may stop at the first occurrence. If not set, nothing is known.
     */
    static final int FIELDS_ONCE = 1;

    private ContextReference() {}

    /**
     * Returns a reference.
     *
     * @param fieldsOnce see {@link #hasFieldsOnce}
     */
    public static long of(long address, boolean fieldsOnce) {
        return fieldsOnce ? address | FIELDS_ONCE : address;
    }

    /** The context's address. */
    public static long address(long reference) {
        return reference & -ALIGNMENT;
    }

    /** Whether each field of the record's message occurs at most once, except repeated ones. */
    public static boolean hasFieldsOnce(long reference) {
        return (reference & FIELDS_ONCE) != 0;
    }
}
