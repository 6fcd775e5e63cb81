package dev.loom.otlp.wire;

import static dev.loom.otlp.wire.WireType.BITS;
import static dev.loom.otlp.wire.WireType.FIXED64;
import static dev.loom.otlp.wire.WireType.LENGTH;
import static dev.loom.otlp.wire.WireType.VARINT;

/**
 * The tags of common.proto and resource.proto.
 *
 * <p>A tag is the field's number and its wire type: {@code number << 3 | type}.
 */
public final class CommonTags {
    private CommonTags() {}

    public static final class AnyValue {
        public static final int STRING_VALUE = (1 << BITS) | LENGTH;
        public static final int BOOL_VALUE = (2 << BITS) | VARINT;
        public static final int INT_VALUE = (3 << BITS) | VARINT;
        public static final int DOUBLE_VALUE = (4 << BITS) | FIXED64;
        public static final int ARRAY_VALUE = (5 << BITS) | LENGTH;
        public static final int KVLIST_VALUE = (6 << BITS) | LENGTH;
        public static final int BYTES_VALUE = (7 << BITS) | LENGTH;
        public static final int STRING_VALUE_STRINDEX = (8 << BITS) | VARINT;

        private AnyValue() {}
    }

    public static final class ArrayValue {
        public static final int VALUES = (1 << BITS) | LENGTH;

        private ArrayValue() {}
    }

    public static final class KeyValueList {
        public static final int VALUES = (1 << BITS) | LENGTH;

        private KeyValueList() {}
    }

    public static final class KeyValue {
        public static final int KEY = (1 << BITS) | LENGTH;
        public static final int VALUE = (2 << BITS) | LENGTH;
        public static final int KEY_STRINDEX = (3 << BITS) | VARINT;

        private KeyValue() {}
    }

    public static final class InstrumentationScope {
        public static final int NAME = (1 << BITS) | LENGTH;
        public static final int VERSION = (2 << BITS) | LENGTH;
        public static final int ATTRIBUTES = (3 << BITS) | LENGTH;
        public static final int DROPPED_ATTRIBUTES_COUNT = (4 << BITS) | VARINT;

        private InstrumentationScope() {}
    }

    public static final class EntityRef {
        public static final int SCHEMA_URL = (1 << BITS) | LENGTH;
        public static final int TYPE = (2 << BITS) | LENGTH;
        public static final int ID_KEYS = (3 << BITS) | LENGTH;
        public static final int DESCRIPTION_KEYS = (4 << BITS) | LENGTH;

        private EntityRef() {}
    }

    public static final class Resource {
        public static final int ATTRIBUTES = (1 << BITS) | LENGTH;
        public static final int DROPPED_ATTRIBUTES_COUNT = (2 << BITS) | VARINT;
        public static final int ENTITY_REFS = (3 << BITS) | LENGTH;

        private Resource() {}
    }
}
