package dev.loom.otlp.wire;

import static dev.loom.otlp.wire.WireType.BITS;
import static dev.loom.otlp.wire.WireType.FIXED32;
import static dev.loom.otlp.wire.WireType.FIXED64;
import static dev.loom.otlp.wire.WireType.LENGTH;
import static dev.loom.otlp.wire.WireType.VARINT;

/**
 * The tags of trace.proto.
 *
 * <p>A tag is the field's number and its wire type: {@code number << 3 | type}.
 */
public final class TraceTags {
    private TraceTags() {}

    public static final class Span {
        public static final int TRACE_ID = (1 << BITS) | LENGTH;
        public static final int SPAN_ID = (2 << BITS) | LENGTH;
        public static final int TRACE_STATE = (3 << BITS) | LENGTH;
        public static final int PARENT_SPAN_ID = (4 << BITS) | LENGTH;
        public static final int NAME = (5 << BITS) | LENGTH;
        public static final int KIND = (6 << BITS) | VARINT;
        public static final int START_TIME_UNIX_NANO = (7 << BITS) | FIXED64;
        public static final int END_TIME_UNIX_NANO = (8 << BITS) | FIXED64;
        public static final int ATTRIBUTES = (9 << BITS) | LENGTH;
        public static final int DROPPED_ATTRIBUTES_COUNT = (10 << BITS) | VARINT;
        public static final int EVENTS = (11 << BITS) | LENGTH;
        public static final int DROPPED_EVENTS_COUNT = (12 << BITS) | VARINT;
        public static final int LINKS = (13 << BITS) | LENGTH;
        public static final int DROPPED_LINKS_COUNT = (14 << BITS) | VARINT;
        public static final int STATUS = (15 << BITS) | LENGTH;
        public static final int FLAGS = (16 << BITS) | FIXED32;

        private Span() {}
    }

    public static final class Event {
        public static final int TIME_UNIX_NANO = (1 << BITS) | FIXED64;
        public static final int NAME = (2 << BITS) | LENGTH;
        public static final int ATTRIBUTES = (3 << BITS) | LENGTH;
        public static final int DROPPED_ATTRIBUTES_COUNT = (4 << BITS) | VARINT;

        private Event() {}
    }

    public static final class Link {
        public static final int TRACE_ID = (1 << BITS) | LENGTH;
        public static final int SPAN_ID = (2 << BITS) | LENGTH;
        public static final int TRACE_STATE = (3 << BITS) | LENGTH;
        public static final int ATTRIBUTES = (4 << BITS) | LENGTH;
        public static final int DROPPED_ATTRIBUTES_COUNT = (5 << BITS) | VARINT;
        public static final int FLAGS = (6 << BITS) | FIXED32;

        private Link() {}
    }

    public static final class Status {
        public static final int MESSAGE = (2 << BITS) | LENGTH;
        public static final int CODE = (3 << BITS) | VARINT;

        private Status() {}
    }
}
