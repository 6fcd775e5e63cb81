package dev.loom.otlp.format;

import dev.loom.format.FieldTerms;
import dev.loom.format.FieldValue;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The names of an enumeration's values, from 0 on. An empty name means no value; a value without a name is shown as its
 * number.
 */
final class EnumText {
    static final EnumText SPAN_KIND =
            new EnumText("span_kind_", "unspecified", "internal", "server", "client", "producer", "consumer");
    static final EnumText STATUS = new EnumText("status_code_", "unset", "ok", "error");
    static final EnumText TEMPORALITY = new EnumText("aggregation_temporality_", "", "delta", "cumulative");

    private static final int DIGITS_MAX = 11;

    private final UnsafeBuffer[] names;

    private final String prefix;
    private final List<String> texts;

    /** @param prefix of the names in OpenTelemetry's own spelling */
    EnumText(String prefix, String... names) {
        this.prefix = prefix;
        texts = List.of(names);
        this.names = Arrays.stream(names)
                .map(name -> new UnsafeBuffer(name.getBytes(StandardCharsets.US_ASCII)))
                .toArray(UnsafeBuffer[]::new);
    }

    /** The terms that people may write for the texts. */
    FieldTerms terms() {
        return FieldTerms.texts(
                prefix, texts.stream().filter(text -> !text.isEmpty()).toArray(String[]::new));
    }

    /** The terms that people may write for the numbers. */
    FieldTerms numbers() {
        Map<String, FieldTerms.Numbers> numbers = new LinkedHashMap<>();
        for (int i = 0; i < texts.size(); i++) {
            numbers.put(texts.get(i), new FieldTerms.Numbers(i, i));
        }
        return FieldTerms.numbers(prefix, numbers);
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
