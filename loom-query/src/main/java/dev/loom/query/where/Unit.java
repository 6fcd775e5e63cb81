package dev.loom.query.where;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What may stand right after a number: a factor, to nanoseconds or to bytes. */
enum Unit {
    NANOSECONDS("ns", 1),
    MICROSECONDS("us", 1_000),
    MILLISECONDS("ms", 1_000_000),
    SECONDS("s", 1_000_000_000),
    MINUTES("m", 60_000_000_000L),
    HOURS("h", 3_600_000_000_000L),
    KIBIBYTES("KiB", 1L << 10),
    MEBIBYTES("MiB", 1L << 20),
    GIBIBYTES("GiB", 1L << 30);

    /** All of them, for messages. */
    static final String ALL = Arrays.stream(values()).map(unit -> unit.text).collect(Collectors.joining(" "));

    private final String text;
    private final BigDecimal factor;

    Unit(String text, long factor) {
        this.text = text;
        this.factor = BigDecimal.valueOf(factor);
    }

    BigDecimal factor() {
        return factor;
    }

    /** The unit written so, or null. */
    static @Nullable Unit of(String text) {
        for (Unit unit : values()) {
            if (unit.text.equals(text)) {
                return unit;
            }
        }
        return null;
    }
}
