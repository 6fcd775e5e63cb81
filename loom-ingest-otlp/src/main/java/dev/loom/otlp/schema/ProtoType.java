package dev.loom.otlp.schema;

import dev.loom.otlp.wire.WireType;

/** The type of a field in a proto file. */
public enum ProtoType {
    STRING(WireType.LENGTH),
    BYTES(WireType.LENGTH),
    /** {@code bytes} that hold a trace id or a span id: hexadecimal in JSON. */
    ID(WireType.LENGTH),
    MESSAGE(WireType.LENGTH),
    DOUBLE(WireType.FIXED64),
    FIXED64(WireType.FIXED64),
    SFIXED64(WireType.FIXED64),
    FIXED32(WireType.FIXED32),
    INT32(WireType.VARINT),
    UINT32(WireType.VARINT),
    SINT32(WireType.VARINT),
    INT64(WireType.VARINT),
    UINT64(WireType.VARINT),
    BOOL(WireType.VARINT),
    ENUM(WireType.VARINT);

    private final int wireType;

    ProtoType(int wireType) {
        this.wireType = wireType;
    }

    /** The {@link WireType} of one value. */
    public int wireType() {
        return wireType;
    }
}
