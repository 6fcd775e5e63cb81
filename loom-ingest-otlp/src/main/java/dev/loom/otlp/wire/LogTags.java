package dev.loom.otlp.wire;

import static dev.loom.otlp.wire.WireType.BITS;
import static dev.loom.otlp.wire.WireType.FIXED32;
import static dev.loom.otlp.wire.WireType.FIXED64;
import static dev.loom.otlp.wire.WireType.LENGTH;
import static dev.loom.otlp.wire.WireType.VARINT;

/**
 * The tags of logs.proto.
 *
 * <p>A tag is the field's number and its wire type: {@code number << 3 | type}.
 */
public final class LogTags {
    private LogTags() {}

    public static final class LogRecord {
        public static final int TIME_UNIX_NANO = (1 << BITS) | FIXED64;
        public static final int SEVERITY_NUMBER = (2 << BITS) | VARINT;
        public static final int SEVERITY_TEXT = (3 << BITS) | LENGTH;
        public static final int BODY = (5 << BITS) | LENGTH;
        public static final int ATTRIBUTES = (6 << BITS) | LENGTH;
        public static final int DROPPED_ATTRIBUTES_COUNT = (7 << BITS) | VARINT;
        public static final int FLAGS = (8 << BITS) | FIXED32;
        public static final int TRACE_ID = (9 << BITS) | LENGTH;
        public static final int SPAN_ID = (10 << BITS) | LENGTH;
        public static final int OBSERVED_TIME_UNIX_NANO = (11 << BITS) | FIXED64;
        public static final int EVENT_NAME = (12 << BITS) | LENGTH;

        private LogRecord() {}
    }
}
