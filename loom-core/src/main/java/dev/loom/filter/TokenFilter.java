package dev.loom.filter;

import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * ESTELLE's Log Bloom filter over the tokens of one unit, by rows (3.2.1): it says of any token whether it certainly was not
 * added. Its rate of false positives depends on its size and the number of distinct tokens; {@code docs/text-index.md} has a
 * table. Takes {@code 2^sizeBits + 8} bytes. Not thread-safe; adding and testing allocate nothing.
 */
public final class TokenFilter {
    private final int sizeBits;
    private final UnsafeBuffer fields;

    /** @param sizeBits {@value TokenField#SIZE_BITS_MIN} to {@value TokenField#SIZE_BITS_MAX} */
    public TokenFilter(int sizeBits) {
        this.sizeBits = sizeBits;
        this.fields = new UnsafeBuffer(new byte[length(sizeBits)]);
    }

    /**
     * The bytes of a filter.
     *
     * @throws IllegalArgumentException for a size that no filter has
     */
    public static int length(int sizeBits) {
        if (sizeBits < TokenField.SIZE_BITS_MIN || sizeBits > TokenField.SIZE_BITS_MAX) {
            throw new IllegalArgumentException("bad size of a filter: sizeBits=" + sizeBits + ", expected="
                    + TokenField.SIZE_BITS_MIN + " to " + TokenField.SIZE_BITS_MAX);
        }
        return (1 << sizeBits) + TokenField.LENGTH;
    }

    /** Adds a token by its digest. Returns false if the filter could not distinguish it from those before. */
    public boolean add(long digest) {
        int offset = TokenField.offset(digest, sizeBits);
        long field = fields.getLong(offset, ByteOrder.LITTLE_ENDIAN);
        long added = field | TokenField.mask(digest, sizeBits);
        fields.putLong(offset, added, ByteOrder.LITTLE_ENDIAN);
        return added != field;
    }

    /** Whether a token may have been added; false is certain. */
    public boolean mayContain(long digest) {
        long mask = TokenField.mask(digest, sizeBits);
        return (fields.getLong(TokenField.offset(digest, sizeBits), ByteOrder.LITTLE_ENDIAN) & mask) == mask;
    }

    void clear() {
        fields.setMemory(0, fields.capacity(), (byte) 0);
    }

    /** Its bytes, as they are stored. */
    UnsafeBuffer fields() {
        return fields;
    }
}
