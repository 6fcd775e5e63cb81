package dev.loom.format;

import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Payloads of another format, each preceded by the time of its event: 8 bytes, little-endian, epoch nanoseconds, as the
 * field {@code event_time}. The other fields are those of the other format; if that declares none, the rest is one
 * field with the format's name. The text form is {@code timed:} followed by the other's: {@code
 * timed:struct:op:utf8,latency_ns:i64}.
 */
final class TimedFormat implements PayloadFormat {
    static final String NAME = "timed";

    private static final String EVENT_TIME = "event_time";
    private static final int TIME_LENGTH = Long.BYTES;

    private static final String PREFIX = NAME + ':';
    private static final Field TIME_FIELD = new Field(EVENT_TIME, Field.Type.I64, false);
    private static final FieldReader TIME_READER = TimedFormat::readTime;

    private final PayloadFormat timed;
    private final boolean whole;
    private final List<Field> fields;

    TimedFormat(PayloadFormat timed) {
        this.timed = timed;
        whole = timed.fields().isEmpty();
        List<Field> all = new ArrayList<>();
        all.add(TIME_FIELD);
        all.addAll(whole ? List.of(new Field(timed.name(), Field.Type.ANY, true)) : timed.fields());
        fields = List.copyOf(all);
        if (timed.fields().stream().anyMatch(field -> field.name().equals(EVENT_TIME))) {
            throw new IllegalArgumentException(
                    "payload format already has an event time: format=" + timed.text() + ", field=" + EVENT_TIME);
        }
    }

    static TimedFormat parse(String text, @Nullable ClassLoader loader) {
        if (!text.startsWith(PREFIX)) {
            throw new IllegalArgumentException(
                    "timed format names no payload format: text=" + text + ", expected=" + PREFIX + "FORMAT");
        }
        String timed = text.substring(PREFIX.length());
        // not left to the constructor, as each further one would be parsed within the others
        if (timed.startsWith(PREFIX)) {
            throw new IllegalArgumentException(
                    "payload format already has an event time: format=" + NAME + ", field=" + EVENT_TIME);
        }
        return new TimedFormat(Formats.parse(timed, loader));
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String text() {
        return PREFIX + timed.text();
    }

    @Override
    public @Nullable String referredFormat() {
        return timed.referredFormat();
    }

    @Override
    public int referenceOffset() {
        return TIME_LENGTH + timed.referenceOffset();
    }

    @Override
    public List<Field> fields() {
        return fields;
    }

    @Override
    public @Nullable FieldReader field(String name) {
        if (name.equals(EVENT_TIME)) {
            return TIME_READER;
        }
        FieldReader reader = timed.field(whole && name.equals(timed.name()) ? "" : name);
        return reader == null ? null : new Shifted(reader);
    }

    @Override
    public PayloadFormat.@Nullable FixedField fixedField(String name) {
        if (name.equals(EVENT_TIME)) {
            return new PayloadFormat.FixedField(Field.Type.I64, 0, 0, 0);
        }
        PayloadFormat.FixedField fixed = timed.fixedField(name);
        return fixed == null
                ? null
                : new PayloadFormat.FixedField(
                        fixed.type(),
                        TIME_LENGTH + fixed.offset(),
                        TIME_LENGTH + fixed.presenceOffset(),
                        fixed.presenceMask());
    }

    @Override
    public @Nullable String unit(String name) {
        return timed.unit(name);
    }

    @Override
    public boolean isTime(String name) {
        return name.equals(EVENT_TIME) || timed.isTime(name);
    }

    @Override
    public @Nullable String fieldOfPrefix(String prefix) {
        return timed.fieldOfPrefix(prefix);
    }

    @Override
    public List<String> fieldPrefixes() {
        return timed.fieldPrefixes();
    }

    @Override
    public @Nullable FieldTerms terms(String name) {
        return timed.terms(name);
    }

    @Override
    public List<String> columns() {
        return Stream.concat(Stream.of(EVENT_TIME), whole ? Stream.of(timed.name()) : timed.columns().stream())
                .toList();
    }

    @Override
    public String eventTimeField() {
        return EVENT_TIME;
    }

    @Override
    public @Nullable String textField() {
        return timed.textField();
    }

    @Override
    public IndexedText indexedText() {
        return timed.indexedText();
    }

    @Override
    public boolean forEachMember(
            String prefix, DirectBuffer buffer, int offset, int length, FieldValue value, MemberHandler handler) {
        return isThere(offset, length)
                ? timed.forEachMember(prefix, buffer, offset + TIME_LENGTH, length - TIME_LENGTH, value, handler)
                : timed.forEachMember(prefix, buffer, 0, -1, value, handler);
    }

    @Override
    public void forEachField(
            DirectBuffer buffer, int offset, int length, FieldValue value, BiConsumer<String, FieldValue> handler) {
        readTime(buffer, offset, length, value);
        handler.accept(EVENT_TIME, value);
        if (whole) {
            Objects.requireNonNull(field(timed.name())).read(buffer, offset, length, value);
            handler.accept(timed.name(), value);
        } else if (isThere(offset, length)) {
            timed.forEachField(buffer, offset + TIME_LENGTH, length - TIME_LENGTH, value, handler);
        } else {
            timed.forEachField(buffer, 0, -1, value, handler);
        }
    }

    private static void readTime(DirectBuffer buffer, int offset, int length, FieldValue into) {
        if (isThere(offset, length) && WholePayload.end(buffer, offset, length) >= offset + TIME_LENGTH) {
            into.setInteger(buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN));
        } else {
            into.setAbsent();
        }
    }

    private static boolean isThere(int offset, int length) {
        return offset >= 0 && length >= TIME_LENGTH && offset <= Integer.MAX_VALUE - TIME_LENGTH;
    }

    /** Reads a field of the payload after the time. */
    private record Shifted(FieldReader reader) implements FieldReader {
        @Override
        public void read(DirectBuffer buffer, int offset, int length, FieldValue into) {
            if (isThere(offset, length)) {
                reader.read(buffer, offset + TIME_LENGTH, length - TIME_LENGTH, into);
            } else {
                into.setAbsent();
            }
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TimedFormat that && timed.equals(that.timed);
    }

    @Override
    public int hashCode() {
        return text().hashCode();
    }

    @Override
    public String toString() {
        return text();
    }
}
