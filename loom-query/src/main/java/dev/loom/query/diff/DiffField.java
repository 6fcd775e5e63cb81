package dev.loom.query.diff;

import dev.loom.format.Field;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import dev.loom.value.KeyEncoder;
import java.util.Arrays;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One field: its value in the record read last, the frequent values among the chosen records, and a sample of both sets. For one thread.
 */
final class DiffField {
    /** The records in the sample of each set. */
    static final int SAMPLE = 2048;

    /** Longer keys are in no count of values. */
    static final int KEY_LENGTH_MAX = 256;

    /** Samples, frequent values with their keys, exact counts, and what reads the field. */
    static final long MEMORY_BYTES =
            4L * SAMPLE * Long.BYTES + HeavyHitters.CAPACITY * (KEY_LENGTH_MAX + 128L) + (48 << 10);

    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;
    private static final long MISSING = 0;

    private final String name;
    private final KeyEncoder encoder;
    private final DirectBuffer key;
    private final long seed;
    private final boolean single;
    private int length;
    private long hash;
    private byte kind;

    private long missing;
    private final HeavyHitters values = new HeavyHitters();
    private final long[][] hashes = new long[2][SAMPLE];
    private final double[][] numbers = new double[2][SAMPLE];

    /**
     * @param before the chosen records before, which lack the field
     * @param seed of hashes; hostile values can't know it
     */
    DiffField(String name, PayloadFormat format, RecordLookup lookup, long before, long seed) {
        this.name = name;
        this.seed = seed;
        missing = before;
        single = format.declaredType(name) == Field.Type.F32;
        encoder = new KeyEncoder(format, List.of(name), lookup, 0);
        key = encoder.key();
        for (double[] each : numbers) {
            Arrays.fill(each, Double.NaN);
        }
    }

    String name() {
        return name;
    }

    /** Whether numbers have the precision of a float. */
    boolean isSinglePrecision() {
        return single;
    }

    /** Reads the value of a record. */
    void read(DirectBuffer buffer, int offset, int payloadLength) {
        int encoded = encoder.encode(buffer, offset, payloadLength);
        boolean tooLong = encoded == KeyEncoder.TOO_LONG;
        length = tooLong ? KEY_LENGTH_MAX + 1 : encoded;
        kind = key.getByte(0);
        hash = kind == KeyEncoder.ABSENT && !tooLong ? MISSING : hash(key, length);
    }

    private long hash(DirectBuffer of, int ofLength) {
        long state = seed + ofLength;
        for (int i = 0, end = Math.min(ofLength, KEY_LENGTH_MAX); i < end; i += Long.BYTES) {
            long product = (state ^ of.getLong(i)) * MULTIPLIER;
            state = product ^ product >>> 32;
        }
        state *= MULTIPLIER;
        state ^= state >>> 29;
        return state == MISSING ? 1 : state;
    }

    boolean isMissing() {
        return hash == MISSING;
    }

    /** The hash of the value read last; 0 if it is missing. */
    long keyHash() {
        return hash;
    }

    /** The hash of a key. */
    long hash(byte[] of) {
        return hash(new UnsafeBuffer(of), of.length);
    }

    /** The words of a key, for {@link #is}. */
    static long[] words(byte[] key) {
        UnsafeBuffer buffer = new UnsafeBuffer(key);
        long[] words = new long[key.length / Long.BYTES];
        for (int i = 0; i < words.length; i++) {
            words[i] = buffer.getLong(i * Long.BYTES);
        }
        return words;
    }

    /** Whether the value read last is the key of these words. */
    boolean is(long[] words) {
        if (words.length * Long.BYTES != length) {
            return false;
        }
        for (int i = 0; i < words.length; i++) {
            if (key.getLong(i * Long.BYTES) != words[i]) {
                return false;
            }
        }
        return true;
    }

    /** Whether the value read last is a number. */
    boolean isNumber() {
        return length <= KEY_LENGTH_MAX
                && (kind == KeyEncoder.INTEGER
                        || kind == KeyEncoder.UNSIGNED
                        || (kind == KeyEncoder.DOUBLE && !Double.isNaN(Double.longBitsToDouble(bits()))));
    }

    private long bits() {
        return key.getLong(1);
    }

    /** The bin of the number read last. */
    int bin(NumberEdges edges) {
        return edges.bin(kind, bits());
    }

    private double number() {
        if (!isNumber()) {
            return Double.NaN;
        }
        long bits = bits();
        return switch (kind) {
            case KeyEncoder.INTEGER -> (double) bits;
            case KeyEncoder.UNSIGNED -> ((bits >>> 1) | (bits & 1)) * 2.0;
            default -> Double.longBitsToDouble(bits);
        };
    }

    /** Counts the value read last as one of the chosen records. */
    void count() {
        if (hash == MISSING) {
            missing++;
        } else if (length <= KEY_LENGTH_MAX) {
            values.add(hash, key, length);
        }
    }

    /** Puts the value read last in a sample. */
    void sample(int set, int place) {
        hashes[set][place] = hash;
        numbers[set][place] = number();
    }

    /** The chosen records without a value. */
    long missing() {
        return missing;
    }

    /** The frequent values among the chosen records. */
    HeavyHitters values() {
        return values;
    }

    /** The numbers in a sample, in order. */
    double[] numbers(int set, int filled) {
        return Arrays.stream(numbers[set], 0, filled)
                .filter(number -> !Double.isNaN(number))
                .sorted()
                .toArray();
    }

    /**
     * About how many different values there are in both sets, rather too many than too few: a value that is in the sample once stands
     * for as many others as the sample left out.
     *
     * @param filled the records in each sample
     * @param records the records of each set
     */
    double distinct(int[] filled, long[] records) {
        double distinct = 0;
        for (int set = 0; set < 2; set++) {
            long[] sorted = Arrays.copyOf(hashes[set], filled[set]);
            Arrays.sort(sorted);
            int once = 0;
            int more = 0;
            for (int i = 0; i < sorted.length; ) {
                int next = i + 1;
                while (next < sorted.length && sorted[next] == sorted[i]) {
                    next++;
                }
                once += next - i == 1 ? 1 : 0;
                more += next - i == 1 ? 0 : 1;
                i = next;
            }
            double left = filled[set] == 0 ? 1 : (double) records[set] / filled[set];
            distinct = Math.max(distinct, more + once * left);
        }
        return Math.max(1, distinct);
    }

    /** The value of a key, newly allocated. */
    FieldValue value(byte[] of) {
        return encoder.decode(new UnsafeBuffer(of), 0).get(0);
    }
}
