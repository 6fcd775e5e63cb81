package dev.loom.bench.replay;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/**
 * An answer.
 *
 * @param value the latency asked for, ns; 0 if none was
 * @param count how many records it has, or how many there are
 * @param digest the sum of their numbers
 * @param numbers their numbers, ascending, unless all records were wanted, or there are more than {@link #NUMBERS_MAX}
 */
public record ReplayAnswer(long value, long count, long digest, List<Long> numbers) {
    /** The most records that an answer names. */
    public static final int NUMBERS_MAX = 1 << 16;

    private static final String SEPARATOR = ":";

    /** An answer that has no records. */
    public static ReplayAnswer ofValue(long value) {
        return new ReplayAnswer(value, 0, 0, List.of());
    }

    /** Counts records without naming them. */
    public static ReplayAnswer ofCount(long count) {
        return new ReplayAnswer(0, count, 0, List.of());
    }

    /** Parses {@link #text()}. */
    static ReplayAnswer parse(String text) {
        final String[] parts = text.split(SEPARATOR, -1);
        final List<Long> numbers = parts[3].isEmpty()
                ? List.of()
                : Arrays.stream(parts[3].split(",", -1)).map(Long::parseLong).toList();
        return new ReplayAnswer(Long.parseLong(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2]), numbers);
    }

    /** The answer as one word. */
    String text() {
        return String.join(
                SEPARATOR,
                Long.toString(value),
                Long.toString(count),
                Long.toString(digest),
                numbers.stream().map(Object::toString).collect(Collectors.joining(",")));
    }

    /**
     * The share of this answer, the true one, that another lacks, 0 to 1. If records are not named, all those of the other are taken to be
     * true; a value is lacking if it is another one.
     */
    public double missing(ReplayAnswer other) {
        if (!numbers.isEmpty()) {
            final long found = numbers.stream()
                    .filter(number -> Collections.binarySearch(other.numbers, number) >= 0)
                    .count();
            return 1 - (double) found / numbers.size();
        }
        if (count > 0) {
            return Math.max(0, 1 - (double) other.count / count);
        }
        return value == other.value ? 0 : 1;
    }
}
