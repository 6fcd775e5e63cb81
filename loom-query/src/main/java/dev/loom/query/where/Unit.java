package dev.loom.query.where;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A unit that may follow a number: a factor to nanoseconds or to bytes. */
enum Unit {
    NANOSECONDS("ns", 1, Dimension.TIME),
    MICROSECONDS("us", 1_000, Dimension.TIME),
    MILLISECONDS("ms", 1_000_000, Dimension.TIME),
    SECONDS("s", 1_000_000_000, Dimension.TIME),
    MINUTES("m", 60_000_000_000L, Dimension.TIME),
    HOURS("h", 3_600_000_000_000L, Dimension.TIME),
    DAYS("d", 86_400_000_000_000L, Dimension.TIME),
    BYTES("B", 1, Dimension.SIZE),
    KIBIBYTES("KiB", 1L << 10, Dimension.SIZE),
    MEBIBYTES("MiB", 1L << 20, Dimension.SIZE),
    GIBIBYTES("GiB", 1L << 30, Dimension.SIZE),
    TEBIBYTES("TiB", 1L << 40, Dimension.SIZE);

    /** What a unit measures. */
    enum Dimension {
        /** In nanoseconds. */
        TIME,
        /** In bytes. */
        SIZE
    }

    /** All units, for messages. */
    static final String ALL = text(Arrays.stream(values()), " ");

    private final String text;
    private final BigDecimal factor;
    private final Dimension dimension;

    Unit(String text, long factor, Dimension dimension) {
        this.text = text;
        this.factor = BigDecimal.valueOf(factor);
        this.dimension = dimension;
    }

    BigDecimal factor() {
        return factor;
    }

    Dimension dimension() {
        return dimension;
    }

    /** The units of one dimension, for messages. */
    static String all(Dimension dimension) {
        return text(Arrays.stream(values()).filter(unit -> unit.dimension == dimension), ", ");
    }

    private static String text(Stream<Unit> units, String separator) {
        return units.map(unit -> unit.text).collect(Collectors.joining(separator));
    }

    /** The unit with this text, or null: exact for time, though a micro sign may stand for u; in any case for sizes. */
    static @Nullable Unit of(String text) {
        if (text.equals("\u00b5s") || text.equals("\u03bcs")) {
            return MICROSECONDS;
        }
        for (Unit unit : values()) {
            if (unit.dimension == Dimension.TIME ? unit.text.equals(text) : unit.text.equalsIgnoreCase(text)) {
                return unit;
            }
        }
        return null;
    }
}
