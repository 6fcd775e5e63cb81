package dev.loom.otlp.format;

import dev.loom.format.FieldValue;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/** The names of an enumeration's values, from 0 on. An empty name is no value; one that has no name is its number. */
final class EnumText {
    static final EnumText SPAN_KIND =
            new EnumText("unspecified", "internal", "server", "client", "producer", "consumer");
    static final EnumText STATUS = new EnumText("unset", "ok", "error");
    static final EnumText TEMPORALITY = new EnumText("", "delta", "cumulative");

    private static final int DIGITS_MAX = 11;

    private final UnsafeBuffer[] names;

    EnumText(String... names) {
        this.names = Arrays.stream(names)
                .map(name -> new UnsafeBuffer(name.getBytes(StandardCharsets.US_ASCII)))
                .toArray(UnsafeBuffer[]::new);
    }

    void set(int number, FieldValue into) {
        if (number < 0 || number >= names.length) {
            int length = into.scratch(DIGITS_MAX).putIntAscii(0, number);
            into.setBytes(FieldValue.Kind.TEXT, into.scratch(DIGITS_MAX), 0, length);
        } else if (names[number].capacity() == 0) {
            into.setAbsent();
        } else {
            into.setBytes(FieldValue.Kind.TEXT, names[number], 0, names[number].capacity());
        }
    }
}
