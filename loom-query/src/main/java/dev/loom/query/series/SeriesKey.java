package dev.loom.query.series;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.format.RecordLookup;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What makes points one series: they agree in all attributes, of the resource too, the scope, the metric's name, unit, kind and
 * temporality. The order of attributes does not matter. For one thread.
 */
final class SeriesKey {
    private static final List<String> FIELDS = List.of(
            "name",
            "unit",
            "kind",
            "temporality",
            "monotonic",
            "scope.name",
            "scope.version",
            "scope.attributes",
            "resource",
            "attributes");

    private final List<FieldReader> readers = new ArrayList<>();
    private final List<FieldValue> values = new ArrayList<>();
    private final JsonMembers members = new JsonMembers();
    private final ExpandableArrayBuffer key = new ExpandableArrayBuffer(512);
    /** Odd, and known to nobody outside, so that nobody can send series of one hash. */
    private final long multiplier = new SplittableRandom().nextLong() | 1;

    private int length;
    private int hash;

    SeriesKey(PayloadFormat format, @Nullable RecordLookup lookup) {
        for (String field : FIELDS) {
            FieldReader reader = format.field(field);
            if (reader != null) {
                FieldValue value = new FieldValue();
                value.lookup(lookup);
                readers.add(reader);
                values.add(value);
            }
        }
    }

    /** Sets the key to that of a point. */
    void read(DirectBuffer buffer, int offset, int payloadLength) {
        length = 0;
        for (int i = 0; i < readers.size(); i++) {
            FieldValue value = values.get(i);
            readers.get(i).read(buffer, offset, payloadLength, value);
            put(value);
        }
        long state = length;
        for (int i = 0; i < length; i++) {
            state = (state + key.getByte(i)) * multiplier;
            state ^= state >>> Integer.SIZE; // products alone agree for some texts, whatever the multiplier
        }
        hash = (int) (state >>> Integer.SIZE);
    }

    private void put(FieldValue value) {
        key.putByte(length, kind(value.kind()));
        int begin = length + 1 + Integer.BYTES;
        int end = begin;
        switch (value.kind()) {
            case JSON -> end = members.put(value, key, begin);
            case TEXT, BYTES -> {
                key.putBytes(begin, value.bytes(), value.offset(), value.length());
                end += value.length();
            }
            case ABSENT -> {}
            case DOUBLE -> {
                key.putDouble(begin, value.doubleValue());
                end += Double.BYTES;
            }
            case INTEGER, UNSIGNED, BOOLEAN -> {
                key.putLong(begin, value.longValue());
                end += Long.BYTES;
            }
        }
        key.putInt(length + 1, end - begin);
        length = end;
    }

    private static byte kind(FieldValue.Kind kind) {
        return switch (kind) {
            case ABSENT -> 0;
            case INTEGER -> 1;
            case UNSIGNED -> 2;
            case DOUBLE -> 3;
            case BOOLEAN -> 4;
            case TEXT -> 5;
            case BYTES -> 6;
            case JSON -> 7;
        };
    }

    /** A copy that can be kept. */
    Kept keep() {
        byte[] bytes = new byte[length];
        key.getBytes(0, bytes);
        return new Kept(bytes, hash);
    }

    /** Equal to the kept keys with the same bytes. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Kept kept && kept.holds(this);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** A key in a map. */
    static final class Kept {
        private final byte[] bytes;
        private final int hash;

        private Kept(byte[] bytes, int hash) {
            this.bytes = bytes;
            this.hash = hash;
        }

        int length() {
            return bytes.length;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Kept kept
                    ? hash == kept.hash && Arrays.equals(bytes, kept.bytes)
                    : other instanceof SeriesKey sought && holds(sought);
        }

        private boolean holds(SeriesKey sought) {
            if (sought.hash != hash || sought.length != bytes.length) {
                return false;
            }
            for (int i = 0; i < bytes.length; i++) {
                if (bytes[i] != sought.key.getByte(i)) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }
}
