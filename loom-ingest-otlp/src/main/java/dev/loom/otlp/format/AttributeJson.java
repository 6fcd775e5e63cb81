package dev.loom.otlp.format;

import dev.loom.format.FieldValue;
import dev.loom.otlp.wire.CommonTags;
import dev.loom.otlp.wire.WireReader;
import dev.loom.otlp.wire.WireType;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Writes values as JSON, in the form that OpenTelemetry uses for attributes outside of OTLP: maps are objects, integers are
 * numbers, bytes are base64, and a number that JSON lacks is its name as a string. A value that is not a protobuf message
 * yields no text at all. Once warm, allocates only for doubles and bytes. Reused; for one thread.
 */
final class AttributeJson {
    static final int LEVELS_MAX = WireReader.DEPTH_MAX;

    private final ExpandableArrayBuffer text = new ExpandableArrayBuffer(256);
    private final WireReader numbers = new WireReader();
    private final List<Level> levels = new ArrayList<>();
    private int length;
    private boolean failed;

    /** The layout of numbers in a repeated field. */
    enum NumberType {
        VARINT,
        FIXED64,
        DOUBLE
    }

    /** The state of one nesting level. */
    private static final class Level {
        private final WireReader reader = new WireReader();
        private final WireReader within = new WireReader();
        private final AnyValue any = new AnyValue();
        /** The keys of the object being written. */
        private final SeenKeys keys = new SeenKeys();
    }

    void begin() {
        length = 0;
        failed = false;
    }

    /** Notes that the input is malformed. */
    void fail() {
        failed = true;
    }

    /** Sets a value to the text, if there is any; it is valid until the next {@link #begin}. */
    void set(FieldValue into) {
        if (failed || length == 0) {
            into.setAbsent();
        } else {
            into.setBytes(FieldValue.Kind.JSON, text, 0, length);
        }
    }

    int length() {
        return length;
    }

    void put(char ascii) {
        text.putByte(length++, (byte) ascii);
    }

    void putAscii(String ascii) {
        length += text.putStringWithoutLengthAscii(length, ascii);
    }

    /** Writes a member's name, after a comma unless nothing was written since the length {@code beginning}. */
    void putName(String name, int beginning) {
        if (length > beginning) {
            put(',');
        }
        put('"');
        putAscii(name);
        put('"');
        put(':');
    }

    void putLong(long number) {
        length += text.putLongAscii(length, number);
    }

    void putUnsigned(long bits) {
        if (bits >= 0) {
            putLong(bits);
        } else {
            long tens = Long.divideUnsigned(bits, 10);
            putLong(tens);
            put((char) ('0' + (bits - tens * 10)));
        }
    }

    void putDouble(double number) {
        boolean finite = Double.isFinite(number);
        if (!finite) {
            put('"');
        }
        putAscii(Double.toString(number));
        if (!finite) {
            put('"');
        }
    }

    void putHex(DirectBuffer buffer, int offset, int bytes) {
        put('"');
        WireField.putHex(buffer, offset, bytes, text, length);
        length += 2 * bytes;
        put('"');
    }

    void putText(DirectBuffer buffer, int offset, int bytes) {
        put('"');
        int plain = 0;
        for (int i = 0; i < bytes; i++) {
            byte b = buffer.getByte(offset + i);
            boolean quoted = b == '"' || b == '\\';
            if (quoted || (b >= 0 && b < ' ') || b == 0x7F) {
                putBytes(buffer, offset + plain, i - plain);
                plain = i + 1;
                putEscape(b, quoted);
            }
        }
        putBytes(buffer, offset + plain, bytes - plain);
        put('"');
    }

    private void putEscape(byte b, boolean quoted) {
        if (quoted) {
            put('\\');
            put((char) b);
        } else {
            putAscii("\\u00");
            put(Character.forDigit(b >> 4, 16));
            put(Character.forDigit(b & 0xF, 16));
        }
    }

    private void putBytes(DirectBuffer buffer, int offset, int bytes) {
        text.putBytes(length, buffer, offset, bytes);
        length += bytes;
    }

    private void putBase64(DirectBuffer buffer, int offset, int bytes) {
        byte[] decoded = new byte[bytes];
        buffer.getBytes(offset, decoded);
        byte[] encoded = Base64.getEncoder().encode(decoded);
        put('"');
        text.putBytes(length, encoded);
        length += encoded.length;
        put('"');
    }

    /**
     * Writes a value.
     *
     * @param tag of the field in AnyValue, or {@link AnyValue#NONE}
     */
    void putValue(int tag, long value, DirectBuffer buffer, int offset, int depth) {
        switch (tag) {
            case CommonTags.AnyValue.STRING_VALUE -> putText(buffer, offset, (int) value);
            case CommonTags.AnyValue.BYTES_VALUE -> putBase64(buffer, offset, (int) value);
            case CommonTags.AnyValue.BOOL_VALUE -> putAscii(value != 0 ? "true" : "false");
            case CommonTags.AnyValue.INT_VALUE -> putLong(value);
            case CommonTags.AnyValue.DOUBLE_VALUE -> putDouble(Double.longBitsToDouble(value));
            case CommonTags.AnyValue.ARRAY_VALUE -> putArray(buffer, offset, (int) value, depth);
            case CommonTags.AnyValue.KVLIST_VALUE -> {
                put('{');
                putPairs(buffer, offset, (int) value, CommonTags.KeyValueList.VALUES, length, depth);
                put('}');
            }
            default -> putAscii("null");
        }
    }

    private void putArray(DirectBuffer buffer, int offset, int bytes, int depth) {
        Level level = level(depth);
        if (level == null) {
            return;
        }
        put('[');
        int beginning = length;
        level.reader.wrap(buffer, offset, bytes);
        while (level.reader.next()) {
            if (level.reader.tag() == CommonTags.ArrayValue.VALUES) {
                if (length > beginning) {
                    put(',');
                }
                putAny(level, buffer, level.reader.offset(), level.reader.length(), depth);
            }
        }
        failed |= level.reader.failure() != null;
        put(']');
    }

    private void putAny(Level level, DirectBuffer buffer, int offset, int bytes, int depth) {
        level.within.wrap(buffer, offset, bytes);
        level.any.clear();
        level.any.read(level.within);
        failed |= level.within.failure() != null;
        if (!failed) {
            putValue(level.any.tag, level.any.value, buffer, level.any.offset, depth + 1);
        }
    }

    /** Writes as members the KeyValues that a message holds in fields with this tag. */
    void putPairs(DirectBuffer buffer, int offset, int bytes, int pairTag, int beginning, int depth) {
        Level level = level(depth);
        if (level == null) {
            return;
        }
        WireReader pairs = level.reader;
        pairs.wrap(buffer, offset, bytes);
        while (pairs.next()) {
            if (pairs.tag() == pairTag) {
                putPair(buffer, pairs.offset(), pairs.length(), beginning, depth);
            }
        }
        failed |= pairs.failure() != null;
    }

    /**
     * Writes a KeyValue as a member of the object whose members begin at the length {@code beginning}, unless it already has
     * this key: the first counts, as when the key alone is read.
     */
    void putPair(DirectBuffer buffer, int offset, int bytes, int beginning, int depth) {
        Level level = level(depth);
        if (level == null) {
            return;
        }
        WireReader pair = level.within;
        pair.wrap(buffer, offset, bytes);
        int keyOffset = offset;
        int keyLength = 0;
        level.any.clear();
        while (pair.next()) {
            if (pair.tag() == CommonTags.KeyValue.KEY) {
                keyOffset = pair.offset();
                keyLength = pair.length();
            } else if (pair.tag() == CommonTags.KeyValue.VALUE) {
                int end = pair.enter();
                level.any.read(pair);
                pair.leave(end);
            }
        }
        failed |= pair.failure() != null;
        if (length == beginning) {
            level.keys.clear();
        }
        if (!failed && level.keys.add(buffer, keyOffset, keyLength)) {
            if (length > beginning) {
                put(',');
            }
            putText(buffer, keyOffset, keyLength);
            put(':');
            putValue(level.any.tag, level.any.value, buffer, level.any.offset, depth + 1);
        }
    }

    /** Writes as an array the numbers of a repeated field, packed or not. */
    void putNumbers(DirectBuffer buffer, int offset, int bytes, int packedTag, NumberType type) {
        put('[');
        putNumbers(buffer, offset, bytes, packedTag, type, length);
        put(']');
    }

    /** Writes the numbers of a repeated field as elements of the array whose elements begin at the length {@code beginning}. */
    void putNumbers(DirectBuffer buffer, int offset, int bytes, int packedTag, NumberType type, int beginning) {
        WireReader reader = numbers;
        int single = packedTag - WireType.LENGTH + (type == NumberType.VARINT ? WireType.VARINT : WireType.FIXED64);
        reader.wrap(buffer, offset, bytes);
        while (reader.next()) {
            if (reader.tag() == single) {
                putNumber(reader.value(), type, beginning);
            } else if (reader.tag() == packedTag && type == NumberType.VARINT) {
                putVarints(buffer, reader.offset(), reader.length(), beginning);
            } else if (reader.tag() == packedTag) {
                int end = reader.offset() + reader.length();
                for (int at = reader.offset(); end - at >= Long.BYTES; at += Long.BYTES) {
                    putNumber(buffer.getLong(at, ByteOrder.LITTLE_ENDIAN), type, beginning);
                }
            }
        }
        failed |= reader.failure() != null;
    }

    private void putVarints(DirectBuffer buffer, int offset, int bytes, int beginning) {
        long value = 0;
        int shift = 0;
        for (int at = offset; at < offset + bytes; at++) {
            byte b = buffer.getByte(at);
            value |= shift < Long.SIZE ? (b & 0x7FL) << shift : 0;
            shift += 7;
            if (b >= 0) {
                putNumber(value, NumberType.VARINT, beginning);
                value = 0;
                shift = 0;
            }
        }
    }

    private void putNumber(long bits, NumberType type, int beginning) {
        if (length > beginning) {
            put(',');
        }
        if (type == NumberType.DOUBLE) {
            putDouble(Double.longBitsToDouble(bits));
        } else {
            putUnsigned(bits);
        }
    }

    private @Nullable Level level(int depth) {
        if (depth == LEVELS_MAX) {
            failed = true;
        }
        if (failed) {
            return null;
        }
        while (levels.size() <= depth) {
            levels.add(new Level());
        }
        return levels.get(depth);
    }
}
