package dev.loom.otlp.format;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.otlp.wire.CommonTags;
import dev.loom.otlp.wire.WireReader;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads an AnyValue: a text, a number, a boolean or bytes directly, an array or a map as JSON. It is the value of a field,
 * or of the first KeyValue with the wanted key. If no key matches, the longest key that equals the wanted one up to a dot
 * counts, and the rest of the wanted key is a path within its value.
 */
final class AnyField implements FieldReader {
    private final Part part;
    private final int[] path;
    private final @Nullable UnsafeBuffer key;
    /**
     * By the length of a prefix of the wanted key that ends before a dot: the reader of the rest within that prefix's value.
     */
    private final @Nullable FieldReader[] within;

    private AnyField(Part part, @Nullable String key, int... path) {
        this.part = part;
        this.path = path;
        this.key = key == null ? null : new UnsafeBuffer(key.getBytes(StandardCharsets.UTF_8));
        this.within = key == null ? new FieldReader[0] : within(key);
    }

    private static @Nullable FieldReader[] within(String key) {
        @Nullable FieldReader[] readers = new FieldReader[key.getBytes(StandardCharsets.UTF_8).length];
        for (int dot = key.indexOf('.', 1); dot > 0 && dot < key.length() - 1; dot = key.indexOf('.', dot + 1)) {
            int length = key.substring(0, dot).getBytes(StandardCharsets.UTF_8).length;
            readers[length] = PathField.within(key.substring(dot + 1));
        }
        return readers;
    }

    /** The value in a field. */
    static AnyField of(Part part, int... path) {
        return new AnyField(part, null, path);
    }

    /** The value of a key among the KeyValues in a field. */
    static AnyField ofKey(Part part, String key, int... path) {
        return new AnyField(part, key, path);
    }

    @Override
    public FieldReader identity() {
        return ContextIdentity.of(part, this);
    }

    @Override
    public void read(DirectBuffer buffer, int offset, int length, FieldValue into) {
        ReadState state = ReadState.of(into);
        into.setAbsent();
        if (!state.wrap(part, buffer, offset, length, into)) {
            return;
        }
        state.any.clear();
        state.found.count = 0;
        state.leadLength = 0;
        walk(state.reader, 0, state);
        if (state.reader.failure() == null) {
            FieldReader rest = state.found.count > 0 || state.leadLength == 0 ? null : within[state.leadLength];
            if (rest != null) {
                state.within.wrap(state.reader.buffer(), state.leadOffset, state.leadValueLength);
                state.any.clear();
                state.any.read(state.within);
            }
            set(state, into);
            if (rest != null) {
                PathField.narrow(rest, into);
            }
        }
    }

    private void walk(WireReader reader, int depth, ReadState state) {
        int wanted = path[depth];
        boolean last = depth == path.length - 1;
        while (reader.next()) {
            if (reader.tag() == wanted && !(last && key != null && state.found.count > 0)) {
                int end = reader.enter();
                if (!last) {
                    walk(reader, depth + 1, state);
                } else if (key == null) {
                    state.any.read(reader);
                } else {
                    readPair(key, reader, state);
                }
                reader.leave(end);
            }
        }
    }

    /** Takes the value if its key is the wanted one. Keys usually come first, which saves reading the values of others. */
    private void readPair(UnsafeBuffer wanted, WireReader reader, ReadState state) {
        boolean matches = wanted.capacity() == 0;
        boolean other = false;
        int keyOffset = 0;
        int keyLength = 0;
        int valueOffset = -1;
        int valueLength = 0;
        int passedOver = -1;
        int passedOverLength = 0;
        state.any.clear();
        while (reader.next()) {
            if (reader.tag() == CommonTags.KeyValue.KEY) {
                keyOffset = reader.offset();
                keyLength = reader.length();
                matches = keyLength == wanted.capacity() && begins(wanted, reader.buffer(), keyOffset, keyLength);
                other = !matches;
            } else if (reader.tag() == CommonTags.KeyValue.VALUE && other) {
                passedOver = reader.offset();
                passedOverLength = reader.length();
                valueOffset = passedOver;
                valueLength = passedOverLength;
            } else if (reader.tag() == CommonTags.KeyValue.VALUE) {
                valueOffset = reader.offset();
                valueLength = reader.length();
                int end = reader.enter();
                state.any.read(reader);
                reader.leave(end);
            }
        }
        if (!matches) {
            state.any.clear();
            boolean leads = keyLength > state.leadLength && keyLength < within.length && within[keyLength] != null;
            if (leads && valueOffset >= 0 && begins(wanted, reader.buffer(), keyOffset, keyLength)) {
                state.leadLength = keyLength;
                state.leadOffset = valueOffset;
                state.leadValueLength = valueLength;
            }
            return;
        }
        state.found.count = 1;
        if (passedOver >= 0 && state.any.tag == AnyValue.NONE) { // another key came after it
            state.within.wrap(reader.buffer(), passedOver, passedOverLength);
            state.any.read(state.within);
        }
    }

    private static boolean begins(UnsafeBuffer wanted, DirectBuffer buffer, int offset, int length) {
        for (int i = 0; i < length; i++) {
            if (wanted.getByte(i) != buffer.getByte(offset + i)) {
                return false;
            }
        }
        return true;
    }

    /** Sets the value that was read. */
    static void set(ReadState state, FieldValue into) {
        AnyValue any = state.any;
        DirectBuffer buffer = state.reader.buffer();
        switch (any.tag) {
            case CommonTags.AnyValue.STRING_VALUE ->
                into.setBytes(FieldValue.Kind.TEXT, buffer, any.offset, any.length());
            case CommonTags.AnyValue.BYTES_VALUE ->
                into.setBytes(FieldValue.Kind.BYTES, buffer, any.offset, any.length());
            case CommonTags.AnyValue.BOOL_VALUE -> into.setBoolean(any.value != 0);
            case CommonTags.AnyValue.INT_VALUE -> into.setInteger(any.value);
            case CommonTags.AnyValue.DOUBLE_VALUE -> into.setDouble(Double.longBitsToDouble(any.value));
            case CommonTags.AnyValue.ARRAY_VALUE, CommonTags.AnyValue.KVLIST_VALUE -> {
                state.json.begin();
                state.json.putValue(any.tag, any.value, buffer, any.offset, 0);
                state.json.set(into);
            }
            default -> {}
        }
    }
}
