package dev.loom.bench.replay;

import java.util.Arrays;
import java.util.List;

/** Collects the records of an answer, in any order. For one thread. */
public final class AnswerBuilder {
    private long count;
    private long digest;
    private long[] numbers = new long[16];

    /** Adds a record. */
    public void add(long number) {
        if (count < ReplayAnswer.NUMBERS_MAX) {
            if (count == numbers.length) {
                numbers = Arrays.copyOf(numbers, 2 * numbers.length);
            }
            numbers[(int) count] = number;
        }
        count++;
        digest += number;
    }

    /** The answer so far, without naming records: for questions that want very many. */
    public ReplayAnswer counted() {
        return new ReplayAnswer(0, count, digest, List.of());
    }

    /**
     * As {@link #counted()}, of records that were read in whole.
     *
     * @param read what was made of all their fields, which nobody may skip
     */
    public ReplayAnswer counted(long read) {
        if (count > 0 && read == 0) {
            throw new IllegalStateException("records have no fields: records=" + count);
        }
        return counted();
    }

    /** The answer so far. */
    public ReplayAnswer answer(long value) {
        final List<Long> named = count > ReplayAnswer.NUMBERS_MAX
                ? List.of()
                : Arrays.stream(numbers, 0, (int) count).sorted().boxed().toList();
        return new ReplayAnswer(value, count, digest, named);
    }
}
