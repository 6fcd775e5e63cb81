package dev.loom.query.group;

import dev.loom.query.model.GroupLimitException;
import dev.loom.query.model.GroupLimitException.Cap;
import dev.loom.value.KeyEncoder;
import java.util.function.IntUnaryOperator;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** The distinct values of a field in each cell; missing ones don't count. For one thread. */
final class DistinctValues {
    /** Where the values begin in a key: behind the cell. */
    static final int VALUES_BEGIN = Long.BYTES;

    private final GroupTerms terms;
    private final KeyEncoder encoder;
    private final KeyTable values;
    private final UnsafeBuffer copy = new UnsafeBuffer(new byte[KeyTable.LENGTH_MAX]);
    private boolean exact = true;
    private long records;

    /** @param encoder of the field's values, which begin at {@link #VALUES_BEGIN} */
    DistinctValues(GroupMemory memory, GroupTerms terms, KeyEncoder encoder, long seed) {
        this.terms = terms;
        this.encoder = encoder;
        this.values = new KeyTable(memory, seed);
    }

    /**
     * Takes the value of a record of a cell; counts it in the cell's state if it is new.
     *
     * @throws GroupLimitException if there are too many, or one is too long, and the rest is not counted as other
     */
    void add(int cell, DirectBuffer payload, int offset, int length, GroupStates states) {
        records++;
        int keyLength = encoder.encode(payload, offset, length);
        if (keyLength == KeyEncoder.TOO_LONG) {
            leaveOut(Cap.VALUE_BYTES, encoder.lengthWanted(), KeyTable.LENGTH_MAX);
            return;
        } else if (encoder.isAbsent()) {
            return;
        }
        encoder.key().putLong(0, cell);
        long hash = values.hash(encoder.key(), keyLength);
        if (values.find(encoder.key(), keyLength, hash) != KeyTable.NONE) {
            return;
        } else if (values.size() >= terms.distinctMax()) {
            leaveOut(Cap.DISTINCT_VALUES, values.size() + 1L, terms.distinctMax());
            return;
        }
        values.add(encoder.key(), keyLength, hash);
        states.addDistinct(cell, 1);
    }

    private void leaveOut(Cap cap, long found, long max) {
        if (!terms.restAsOther()) {
            throw new GroupLimitException(cap, found, max, records);
        }
        exact = false;
    }

    /** Whether no value was left out, so that counts are exact; otherwise they are the least that there are. */
    boolean exact() {
        return exact;
    }

    /**
     * Counts the values of cells in other groups too, each once.
     *
     * @param target the group for a cell, or {@link GroupTable#NONE}
     * @param first added to the numbers of groups, so that they differ from those of cells unless they are cells
     * @param ending asked from time to time; the count ends early when it says so
     */
    void count(IntUnaryOperator target, GroupStates into, long first, Ending ending) {
        int end = values.size();
        for (int i = 0; i < end && !ending.isNow(); i++) {
            UnsafeBuffer from = values.buffer(i);
            int at = values.offset(i);
            long cell = from.getLong(at);
            int group = cell < 0 || cell > Integer.MAX_VALUE ? GroupTable.NONE : target.applyAsInt((int) cell);
            if (group != GroupTable.NONE) {
                int length = values.length(i);
                copy.putBytes(0, from, at, length);
                copy.putLong(0, first + group);
                long hash = values.hash(copy, length);
                if (values.find(copy, length, hash) == KeyTable.NONE) {
                    values.add(copy, length, hash);
                    into.addDistinct(group, 1);
                }
            }
        }
    }
}
