package dev.loom.otlp.format;

import dev.loom.otlp.wire.CommonTags;
import dev.loom.otlp.wire.WireReader;

/** The value of an AnyValue message; the last of several, as everywhere in protobuf. Reused; for one thread. */
final class AnyValue {
    /** The tag of a message without a value. */
    static final int NONE = 0;

    /** The tag of the value's field, or {@link #NONE}. */
    int tag;

    long value;
    /** Where a text, bytes or a message begins; it has {@link #length()} bytes. */
    int offset;

    /**
     * Reads the message that a reader is positioned at; its value replaces an earlier one since {@link #clear}. The reader's
     * failure tells whether it is malformed.
     */
    void read(WireReader reader) {
        while (reader.next()) {
            switch (reader.tag()) {
                case CommonTags.AnyValue.STRING_VALUE,
                        CommonTags.AnyValue.BOOL_VALUE,
                        CommonTags.AnyValue.INT_VALUE,
                        CommonTags.AnyValue.DOUBLE_VALUE,
                        CommonTags.AnyValue.ARRAY_VALUE,
                        CommonTags.AnyValue.KVLIST_VALUE,
                        CommonTags.AnyValue.BYTES_VALUE -> {
                    tag = reader.tag();
                    value = reader.value();
                    offset = reader.offset();
                }
                case CommonTags.AnyValue.STRING_VALUE_STRINDEX -> tag = NONE;
                default -> {}
            }
        }
    }

    void clear() {
        tag = NONE;
    }

    int length() {
        return (int) value;
    }
}
