package dev.loom.api;

import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * What the values of an index count, for whoever displays them or writes a bound with a unit. Values are kept as they
 * are. The texts are those of UCUM, as in OpenTelemetry.
 */
public enum ValueUnit {
    NONE("1", ""),
    NANOSECONDS("ns", "_ns"),
    MICROSECONDS("us", "_us"),
    MILLISECONDS("ms", "_ms"),
    SECONDS("s", "_s"),
    BYTES("By", "_bytes");

    private final String text;
    private final String suffix;

    ValueUnit(String text, String suffix) {
        this.text = text;
        this.suffix = suffix;
    }

    public String text() {
        return text;
    }

    /** The unit that the name of a field ends with: {@code latency_ns} has nanoseconds, {@code latency} none. */
    public static ValueUnit ofName(String fieldName) {
        for (ValueUnit unit : values()) {
            if (unit != NONE && fieldName.endsWith(unit.suffix)) {
                return unit;
            }
        }
        return NONE;
    }

    /**
     * Finds a unit by its {@link #text()}.
     *
     * @throws IllegalArgumentException for an unknown one, naming those there are
     */
    public static ValueUnit parse(String text) {
        for (ValueUnit unit : values()) {
            if (unit.text.equals(text)) {
                return unit;
            }
        }
        throw new IllegalArgumentException("unknown unit: unit=" + text + ", known="
                + Arrays.stream(values()).map(ValueUnit::text).collect(Collectors.joining(" ")));
    }
}
