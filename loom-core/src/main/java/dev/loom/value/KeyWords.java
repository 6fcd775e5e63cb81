package dev.loom.value;

import dev.loom.api.IndexFunction;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a few words that stand for the keys of records, so that a key met before is found without {@linkplain KeyEncoder encoding} it:
 * records with equal words have equal keys. The reverse need not hold, and some records have no words: if a value is long, or JSON.
 *
 * <pre>
 *   field:   an integer at a fixed place, or what {@linkplain FieldReader#identity() stands} for a field, 1 word;
 *            anything else 4: of text and bytes the bytes, up to 31, of others the bits; in the last byte what it is
 * </pre>
 *
 * Allocates nothing for a record. For one thread.
 */
public final class KeyWords {
    /** The most words of a key. */
    private static final int WIDTH_MAX = 8;

    private static final int VALUE_WIDTH = 4;
    private static final int VALUE_LENGTH = VALUE_WIDTH * Long.BYTES;
    private static final int BYTES_MAX = VALUE_LENGTH - 1;
    private static final int TAG_SHIFT = Long.SIZE - Byte.SIZE;
    private static final long ABSENT_TAG = 0;
    private static final long INTEGER_TAG = 1;
    private static final long UNSIGNED_TAG = 2;
    private static final long DOUBLE_TAG = 3;
    private static final long BOOLEAN_TAG = 4;
    /** Added to a length, as the next. */
    private static final long TEXT_TAG = 0x40;

    private static final long BYTES_TAG = 0x80;

    private final Column[] columns;
    private final int width;
    private final long[] words;
    private final long[] hashes = new long[RecordBatch.RECORDS_MAX];

    /** One field of the keys. */
    private interface Column {
        int width();

        /**
         * Reads the words of a batch's records, from {@code at} on, for every {@code width} words.
         *
         * @param wanted bits of the records
         * @param hashes what it adds to: the {@link #part} of each word
         * @return bits of those that have words
         */
        long read(RecordBatch batch, long wanted, long[] into, int at, long[] hashes);
    }

    private KeyWords(List<Column> columns, int width) {
        this.columns = columns.toArray(new Column[0]);
        this.width = width;
        words = new long[RecordBatch.RECORDS_MAX * width];
    }

    /**
     * Prepares to read fields.
     *
     * @param fields that the format has
     * @param lookup finds the records that others refer to
     * @param seed of hashes
     * @return null if there are none, or too many
     */
    public static @Nullable KeyWords of(
            PayloadFormat format, List<String> fields, @Nullable RecordLookup lookup, long seed) {
        List<Integer> widths = new ArrayList<>();
        List<FieldReader> readers = new ArrayList<>();
        int width = 0;
        for (String field : fields) {
            FieldReader reader = format.field(field);
            if (reader == null) {
                return null;
            }
            PayloadFormat.FixedField fixed = format.fixedField(field);
            boolean isInteger = fixed != null && fixed.type().isInteger();
            boolean isOne = isInteger || reader.identity() != reader;
            readers.add(reader);
            widths.add(isOne ? 1 : VALUE_WIDTH);
            width += isOne ? 1 : VALUE_WIDTH;
        }
        if (width == 0 || width > WIDTH_MAX) {
            return null;
        }
        SplittableRandom random = new SplittableRandom(seed);
        List<Column> columns = new ArrayList<>();
        for (int i = 0; i < readers.size(); i++) {
            FieldReader identity = readers.get(i).identity();
            if (widths.get(i) == VALUE_WIDTH) {
                columns.add(new ValueColumn(identity, lookup, width, random));
            } else if (identity == readers.get(i)) {
                columns.add(new IntegerColumn(
                        new KeyReader(IndexFunction.field(format, fields.get(i))), width, factor(random)));
            } else {
                columns.add(new IdentityColumn(identity, lookup, width, factor(random)));
            }
        }
        return new KeyWords(columns, width);
    }

    /** The number of words of a key. */
    public int width() {
        return width;
    }

    /** The words read last: those of a record begin at its place in the batch times the width. */
    public long[] words() {
        return words;
    }

    /** The hash of a record's words read last. Whoever does not know the seed can't make them collide. */
    public int hash(int i) {
        return (int) (hashes[i] >>> Integer.SIZE);
    }

    /** What a word adds to a hash; none waits for another, and 0 adds nothing. */
    private static long part(long word, long factor) {
        return (word ^ word >>> Integer.SIZE) * factor;
    }

    /** Odd. */
    private static long factor(SplittableRandom random) {
        return random.nextLong() | 1;
    }

    /**
     * Reads the words of a batch's records and their hashes.
     *
     * @return bit i for the i-th record that has words
     */
    public long read(RecordBatch batch) {
        long known = batch.count() == 0 ? 0 : -1L >>> (Long.SIZE - batch.count());
        Arrays.fill(hashes, 0, batch.count(), 0);
        int at = 0;
        for (Column column : columns) {
            known = known == 0 ? 0 : column.read(batch, known, words, at, hashes);
            at += column.width();
        }
        return known;
    }

    /** Integers at a fixed place. */
    private static final class IntegerColumn implements Column {
        private final KeyReader reader;
        private final int keyWidth;
        private final long factor;
        private final long[] keys = new long[RecordBatch.RECORDS_MAX];

        IntegerColumn(KeyReader reader, int keyWidth, long factor) {
            this.reader = reader;
            this.keyWidth = keyWidth;
            this.factor = factor;
        }

        @Override
        public int width() {
            return 1;
        }

        @Override
        public long read(RecordBatch batch, long wanted, long[] into, int first, long[] hashes) {
            int count = batch.count();
            if (reader.readAll(batch, keys) == count) {
                for (int i = 0, at = first; i < count; i++, at += keyWidth) {
                    into[at] = keys[i];
                    hashes[i] += part(keys[i], factor);
                }
                return wanted;
            }
            long known = 0;
            for (int i = 0; i < count; i++) {
                if (reader.read(batch.buffer(), batch.offset(i), batch.length(i))) {
                    into[first + i * keyWidth] = reader.key();
                    hashes[i] += part(reader.key(), factor);
                    known |= 1L << i;
                }
            }
            return known & wanted;
        }
    }

    /** What stands for a field. */
    private static final class IdentityColumn implements Column {
        private final FieldReader reader;
        private final @Nullable RecordLookup lookup;
        private final int keyWidth;
        private final long factor;
        private final FieldValue value = new FieldValue();

        IdentityColumn(FieldReader reader, @Nullable RecordLookup lookup, int keyWidth, long factor) {
            this.factor = factor;
            this.reader = reader;
            this.lookup = lookup;
            this.keyWidth = keyWidth;
            value.lookup(lookup);
        }

        @Override
        public int width() {
            return 1;
        }

        @Override
        public long read(RecordBatch batch, long wanted, long[] into, int first, long[] hashes) {
            long known = 0;
            RecordLookup references = lookup;
            for (int i = 0, at = first; i < batch.count(); i++, at += keyWidth) {
                if (references != null) {
                    references.from(batch.address(i));
                }
                reader.read(batch.buffer(), batch.offset(i), batch.length(i), value);
                if (value.kind() == FieldValue.Kind.INTEGER) {
                    into[at] = value.longValue();
                    hashes[i] += part(value.longValue(), factor);
                    known |= 1L << i;
                }
            }
            return known & wanted;
        }
    }

    /** Any values. */
    private static final class ValueColumn implements Column {
        private final FieldReader reader;
        private final @Nullable RecordLookup lookup;
        private final int keyWidth;
        private final long factor0;
        private final long factor1;
        private final long factor2;
        private final long factor3;
        private final FieldValue value = new FieldValue();
        private long hash;

        ValueColumn(FieldReader reader, @Nullable RecordLookup lookup, int keyWidth, SplittableRandom random) {
            factor0 = factor(random);
            factor1 = factor(random);
            factor2 = factor(random);
            factor3 = factor(random);
            this.reader = reader;
            this.lookup = lookup;
            this.keyWidth = keyWidth;
            value.lookup(lookup);
        }

        @Override
        public int width() {
            return VALUE_WIDTH;
        }

        @Override
        public long read(RecordBatch batch, long wanted, long[] into, int first, long[] hashes) {
            RecordLookup references = lookup;
            long failures = references == null ? 0 : references.failures();
            long known = 0;
            for (int i = 0, at = first; i < batch.count(); i++, at += keyWidth) {
                if (references != null) {
                    references.from(batch.address(i));
                }
                reader.read(batch.buffer(), batch.offset(i), batch.length(i), value);
                known |= (put(value, into, at) ? 1L : 0L) << i;
                hashes[i] += hash;
            }
            // what a record refers to and can't be read is not the same as no value
            return references != null && references.failures() != failures ? 0 : known & wanted;
        }

        private boolean put(FieldValue value, long[] into, int at) {
            return switch (value.kind()) {
                case ABSENT -> put(ABSENT_TAG << TAG_SHIFT, 0, into, at);
                case INTEGER -> put(INTEGER_TAG << TAG_SHIFT, value.longValue(), into, at);
                case UNSIGNED -> put(UNSIGNED_TAG << TAG_SHIFT, value.longValue(), into, at);
                case DOUBLE -> put(DOUBLE_TAG << TAG_SHIFT, Double.doubleToRawLongBits(value.doubleValue()), into, at);
                case BOOLEAN -> put(BOOLEAN_TAG << TAG_SHIFT, value.longValue(), into, at);
                case TEXT -> putBytes(TEXT_TAG, value, into, at);
                case BYTES -> putBytes(BYTES_TAG, value, into, at);
                case JSON -> false;
            };
        }

        private boolean put(long tag, long bits, long[] into, int at) {
            set(bits, 0, 0, tag, into, at);
            return true;
        }

        private void set(long first, long second, long third, long fourth, long[] into, int at) {
            into[at] = first;
            into[at + 1] = second;
            into[at + 2] = third;
            into[at + 3] = fourth;
            hash = part(first, factor0) + part(second, factor1) + part(third, factor2) + part(fourth, factor3);
        }

        /** Whole words are read, also beyond the end, if the buffer has them; what is not of the value is masked out. */
        private boolean putBytes(long tagOfKind, FieldValue value, long[] into, int at) {
            DirectBuffer from = value.bytes();
            int offset = value.offset();
            int length = value.length();
            if (length > BYTES_MAX) {
                return false;
            }
            long tag = (tagOfKind + length) << TAG_SHIFT;
            if (from.capacity() - offset < VALUE_LENGTH) {
                set(
                        bytes(from, offset, length, 0),
                        bytes(from, offset, length, 1),
                        bytes(from, offset, length, 2),
                        bytes(from, offset, length, 3) | tag,
                        into,
                        at);
            } else if (length <= Long.BYTES) {
                set(word(from, offset, length), 0, 0, tag, into, at);
            } else if (length <= 2 * Long.BYTES) {
                set(whole(from, offset), word(from, offset + 8, length - 8), 0, tag, into, at);
            } else if (length <= 3 * Long.BYTES) {
                set(whole(from, offset), whole(from, offset + 8), word(from, offset + 16, length - 16), tag, into, at);
            } else {
                long fourth = word(from, offset + 24, length - 24) | tag;
                set(whole(from, offset), whole(from, offset + 8), whole(from, offset + 16), fourth, into, at);
            }
            return true;
        }

        private static long whole(DirectBuffer from, int offset) {
            return from.getLong(offset, ByteOrder.LITTLE_ENDIAN);
        }

        /** The first bytes of a word, up to 8. */
        private static long word(DirectBuffer from, int offset, int bytes) {
            int unused = Long.SIZE - bytes * Byte.SIZE;
            return bytes == 0 ? 0 : whole(from, offset) << unused >>> unused;
        }

        private static long bytes(DirectBuffer from, int offset, int length, int word) {
            long bits = 0;
            for (int i = Math.min(length, (word + 1) * Long.BYTES) - 1; i >= word * Long.BYTES; i--) {
                bits = bits << Byte.SIZE | (from.getByte(offset + i) & 0xFF);
            }
            return bits;
        }
    }
}
