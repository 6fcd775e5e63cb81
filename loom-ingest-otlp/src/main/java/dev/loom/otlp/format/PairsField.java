package dev.loom.otlp.format;

import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.otlp.wire.WireReader;
import org.agrona.DirectBuffer;

/** Reads all KeyValues in a field as one JSON object; no KeyValues are no value. */
final class PairsField implements FieldReader {
    private final Part part;
    private final int[] path;

    PairsField(Part part, int... path) {
        this.part = part;
        this.path = path;
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
        AttributeJson json = state.json;
        json.begin();
        json.put('{');
        walk(state.reader, 0, json);
        boolean none = json.length() == 1;
        json.put('}');
        if (state.reader.failure() == null && !none) {
            json.set(into);
        }
    }

    private void walk(WireReader reader, int depth, AttributeJson json) {
        while (reader.next()) {
            if (reader.tag() == path[depth]) {
                if (depth == path.length - 1) {
                    json.putPair(reader.buffer(), reader.offset(), reader.length(), 1, 0);
                } else {
                    int end = reader.enter();
                    walk(reader, depth + 1, json);
                    reader.leave(end);
                }
            }
        }
    }
}
