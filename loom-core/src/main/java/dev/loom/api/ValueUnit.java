package dev.loom.api;

import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * The unit of an index's values, for displaying them and for writing bounds with a unit. Values are not converted. The
 * texts are UCUM codes, as in OpenTelemetry.
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

    /** The unit that a field's name ends with: nanoseconds for {@code latency_ns}, none for {@code latency}. */
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
     * @throws IllegalArgumentException for an unknown one; the message names the known ones
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
