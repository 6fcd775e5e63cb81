package dev.loom.otlp.schema;

/** What the bytes of a field of wire type LENGTH must be for its message to be well-formed. */
public enum LengthRule {
    /** Anything: {@code bytes}, unknown fields, and fields that should have another wire type. */
    NONE,
    UTF8,
    MESSAGE,
    /** An id that the message must have: bytes of a fixed length, not all zero. */
    REQUIRED_ID,
    /** Consecutive numbers of 8 bytes. */
    PACKED_FIXED64,
    PACKED_VARINT;

    static LengthRule of(MessageField field) {
        if (field.packed()) {
            return switch (field.type()) {
                case UINT64 -> PACKED_VARINT;
                case FIXED64, DOUBLE -> PACKED_FIXED64;
                default -> throw new IllegalArgumentException("no rule for repeated numbers: type=" + field.type());
            };
        }
        return switch (field.type()) {
            case STRING -> UTF8;
            case MESSAGE -> MESSAGE;
            default -> NONE;
        };
    }
}
