package dev.loom.otlp.ingest;

import dev.loom.otlp.wire.CommonTags.AnyValue;
import dev.loom.otlp.wire.CommonTags.KeyValue;
import dev.loom.otlp.wire.CommonTags.Resource;
import dev.loom.otlp.wire.ExportTags.ResourceEnvelope;
import dev.loom.otlp.wire.WireReader;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;

/** Finds the text value of one attribute of a resource. Reused; for one thread. */
final class ResourceAttribute {
    private final WireReader reader = new WireReader();
    private final byte[] key;
    private boolean keyMatches;
    private boolean hasText;
    private boolean found;
    private int offset;
    private int length;

    ResourceAttribute(String key) {
        this.key = key.getBytes(StandardCharsets.UTF_8);
    }

    /** Searches the ResourceX in {@code [from, from + count)}. Returns whether the attribute is a non-empty text. */
    boolean find(DirectBuffer buffer, int from, int count) {
        length = 0;
        found = false;
        reader.wrap(buffer, from, count);
        while (reader.next()) {
            if (reader.tag() == ResourceEnvelope.RESOURCE) {
                int end = reader.enter();
                findInResource();
                reader.leave(end);
            }
        }
        return length > 0;
    }

    private void findInResource() {
        while (reader.next()) {
            if (reader.tag() == Resource.ATTRIBUTES) {
                int end = reader.enter();
                findInAttribute();
                reader.leave(end);
            }
        }
    }

    private void findInAttribute() {
        keyMatches = false;
        hasText = false;
        int textOffset = 0;
        int textLength = 0;
        while (reader.next()) {
            if (reader.tag() == KeyValue.KEY) {
                keyMatches = isKey();
            } else if (reader.tag() == KeyValue.VALUE) {
                int end = reader.enter();
                while (reader.next()) {
                    if (!isUnknown(reader.tag())) { // of a oneof the last counts
                        hasText = reader.tag() == AnyValue.STRING_VALUE;
                        textOffset = reader.offset();
                        textLength = reader.length();
                    }
                }
                reader.leave(end);
            }
        }
        if (keyMatches && !found) { // of equal keys the first counts
            found = true;
            offset = textOffset;
            length = hasText ? textLength : 0;
        }
    }

    private static boolean isUnknown(int tag) {
        return switch (tag) {
            case AnyValue.STRING_VALUE,
                    AnyValue.BOOL_VALUE,
                    AnyValue.INT_VALUE,
                    AnyValue.DOUBLE_VALUE,
                    AnyValue.ARRAY_VALUE,
                    AnyValue.KVLIST_VALUE,
                    AnyValue.BYTES_VALUE,
                    AnyValue.STRING_VALUE_STRINDEX -> false;
            default -> true;
        };
    }

    private boolean isKey() {
        if (reader.length() != key.length) {
            return false;
        }
        for (int i = 0; i < key.length; i++) {
            if (reader.buffer().getByte(reader.offset() + i) != key[i]) {
                return false;
            }
        }
        return true;
    }

    /** Where the text found begins. */
    int offset() {
        return offset;
    }

    /** The length of the text found, in bytes. */
    int length() {
        return length;
    }
}
