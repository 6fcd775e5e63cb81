package dev.loom.otlp.format;

import dev.loom.otlp.wire.CommonTags;
import dev.loom.otlp.wire.WireReader;

/** The value of an AnyValue message: of several the last, as everywhere in protobuf. Reused; for one thread. */
final class AnyValue {
    /** Of a message without a value. */
    static final int NONE = 0;

    private int tag;
    private long value;
    private int offset;

    /** Takes what the message holds that a reader has been stood before, in place of what was taken since {@link #clear}. The reader's failure tells whether it is one. */
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

    /** The tag of its field, or {@link #NONE}. */
    int tag() {
        return tag;
    }

    long value() {
        return value;
    }

    /** Of bytes, a text, or a message: where it begins; {@link #length()} bytes. */
    int offset() {
        return offset;
    }

    int length() {
        return (int) value;
    }
}
