package dev.loom.otlp.format;

/**
 * How a record refers to its context, little-endian in the first bytes of its payload: the context's address, which is a multiple
 * of {@link #ALIGNMENT}, plus {@link #FIELDS_ONCE} where that is so.
 */
public final class ContextReference {
    /** Bytes that it takes. */
    public static final int LENGTH = Long.BYTES;

    /** Of addresses in the record log. */
    static final int ALIGNMENT = 8;

    /**
     * Says that no field of the record's message, and of those within, is there more than once unless it is a repeated one: who
     * looks for a field needs not look for a later one. Without it nothing is said.
     */
    static final int FIELDS_ONCE = 1;

    private ContextReference() {}

    /**
     * Makes one.
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

    /** Whether each field of the record's message that is not a repeated one is there once at most. */
    public static boolean hasFieldsOnce(long reference) {
        return (reference & FIELDS_ONCE) != 0;
    }
}
