package dev.loom.format;

import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;

/** The formats that come with the store, and the parser of their text forms. */
public final class Formats {
    private static final Set<String> BUILT_IN =
            Set.of(StructFormat.NAME, TextFormat.NAME, JsonFormat.NAME, BytesFormat.NAME, TimedFormat.NAME);

    private Formats() {}

    /** UTF-8 text, a line a record: one field, {@code line}, which is the payload. */
    public static PayloadFormat text() {
        return TextFormat.INSTANCE;
    }

    /**
     * One JSON value a record, fields by dotted path: {@code a.b}, {@code a.0.b}. A key that contains dots itself comes
     * before a path through objects, the longest first. The empty path is the whole value, and has one only if all of
     * the payload is well-formed.
     */
    public static PayloadFormat json() {
        return JsonFormat.INSTANCE;
    }

    /** Bytes without a meaning: one field, {@code bytes}, which is the payload. */
    public static PayloadFormat bytes() {
        return BytesFormat.INSTANCE;
    }

    /**
     * Typed fields, those of fixed size at fixed offsets; written by {@link StructWriter}.
     *
     * @throws IllegalArgumentException for no fields or more than {@link StructFormat#FIELD_COUNT_MAX}, and for a name
     *     that is taken or not allowed
     */
    public static StructFormat struct(List<Field> fields) {
        return new StructFormat(fields);
    }

    /**
     * As {@link #struct(List)}, of fields in the text form: {@code latency_ns:i64,key:utf8?}. A question mark is for a field that
     * records may lack.
     *
     * @throws IllegalArgumentException as that one, and for what is no field
     */
    public static StructFormat struct(String fields) {
        return StructFormat.parse(StructFormat.NAME + ':' + fields);
    }

    /**
     * Payloads of another format, each after the time of what it tells of: 8 bytes, little-endian, epoch nanoseconds. The
     * field {@code event_time} is that time; the others are those of the format, and where that declares none, the whole
     * under its name: {@code json}.
     *
     * @throws IllegalArgumentException when the format has a field {@code event_time} itself
     */
    public static PayloadFormat timed(PayloadFormat format) {
        return new TimedFormat(format);
    }

    /**
     * Makes the format of a text form: {@code text}, {@code json}, {@code bytes}, {@code struct:ts_ns:i64,op:utf8?}, {@code
     * timed:} and another text form, or one of a {@link PayloadFormatProvider}.
     *
     * @throws IllegalArgumentException for an unknown name, naming those there are, and for wrong arguments
     */
    public static PayloadFormat parse(String text) {
        int colon = text.indexOf(':');
        String name = colon < 0 ? text : text.substring(0, colon);
        return switch (name) {
            case StructFormat.NAME -> StructFormat.parse(text);
            case TimedFormat.NAME -> TimedFormat.parse(text);
            case TextFormat.NAME -> withoutArguments(text, TextFormat.INSTANCE);
            case JsonFormat.NAME -> withoutArguments(text, JsonFormat.INSTANCE);
            case BytesFormat.NAME -> withoutArguments(text, BytesFormat.INSTANCE);
            default -> provided(name, text);
        };
    }

    private static PayloadFormat withoutArguments(String text, PayloadFormat format) {
        if (!text.equals(format.text())) {
            throw new IllegalArgumentException("payload format takes no arguments: text=" + text);
        }
        return format;
    }

    private static PayloadFormat provided(String name, String text) {
        Set<String> known = new TreeSet<>(BUILT_IN);
        try {
            for (ServiceLoader<PayloadFormatProvider> providers : loaders()) {
                for (PayloadFormatProvider provider : providers) {
                    if (provider.names().contains(name)) {
                        return provider.parse(text);
                    }
                    known.addAll(provider.names());
                }
            }
        } catch (ServiceConfigurationError e) {
            throw new IllegalArgumentException("payload format provider can't be loaded: format=" + name, e);
        }
        throw new IllegalArgumentException("unknown payload format: name=" + name + ", known=" + known);
    }

    /** The application's class loader comes first; in an agent it may be another than ours, or none. */
    private static List<ServiceLoader<PayloadFormatProvider>> loaders() {
        return List.of(
                ServiceLoader.load(PayloadFormatProvider.class),
                ServiceLoader.load(PayloadFormatProvider.class, Formats.class.getClassLoader()));
    }
}
