package dev.loom.otlp.format;

import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat.MemberHandler;
import dev.loom.otlp.wire.CommonTags;
import dev.loom.otlp.wire.WireReader;
import org.agrona.DirectBuffer;

/** Passes the values of all KeyValues in a field on, with their keys; each as an {@link AnyField} of its key reads it. */
final class MembersReader {
    private final Part part;
    private final int[] path;

    MembersReader(Part part, int... path) {
        this.part = part;
        this.path = path;
    }

    /** Returns false if there are arrays or maps, or pairs that AnyField takes apart, or if the message is malformed. */
    boolean read(DirectBuffer buffer, int offset, int length, FieldValue value, MemberHandler handler) {
        ReadState state = ReadState.of(value);
        // what can't be read has no fields
        return !state.wrap(part, buffer, offset, length, value)
                || (walk(0, state, value, handler) && state.reader.failure() == null);
    }

    private boolean walk(int depth, ReadState state, FieldValue value, MemberHandler handler) {
        WireReader reader = state.reader;
        boolean all = true;
        while (reader.next()) {
            if (reader.tag() == path[depth]) {
                int end = reader.enter();
                all &= depth == path.length - 1
                        ? readPair(reader, state, value, handler)
                        : walk(depth + 1, state, value, handler);
                reader.leave(end);
            }
        }
        return all;
    }

    private static boolean readPair(WireReader reader, ReadState state, FieldValue value, MemberHandler handler) {
        int keyOffset = 0;
        int keyLength = 0;
        int keys = 0;
        int values = 0;
        state.any.clear();
        while (reader.next()) {
            if (reader.tag() == CommonTags.KeyValue.KEY) {
                keyOffset = reader.offset();
                keyLength = reader.length();
                keys++;
            } else if (reader.tag() == CommonTags.KeyValue.VALUE) {
                int end = reader.enter();
                state.any.read(reader);
                reader.leave(end);
                values++;
            }
        }
        if (keys > 1 || values > 1) {
            return false;
        }
        boolean single =
                state.any.tag != CommonTags.AnyValue.ARRAY_VALUE && state.any.tag != CommonTags.AnyValue.KVLIST_VALUE;
        if (single && state.any.tag != AnyValue.NONE) {
            AnyField.set(state, value);
            handler.onMember(reader.buffer(), keyOffset, keyLength, value);
        }
        return single;
    }
}
