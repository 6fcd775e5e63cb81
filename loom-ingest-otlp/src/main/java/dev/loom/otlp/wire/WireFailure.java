package dev.loom.otlp.wire;

/** Why bytes are not a protobuf message. */
public enum WireFailure {
    TRUNCATED("field is truncated"),
    VARINT_TOO_LONG("varint has more than 10 bytes"),
    INVALID_TAG("field number is 0"),
    INVALID_WIRE_TYPE("wire type is not 0 to 5"),
    NEGATIVE_LENGTH("length is negative"),
    UNMATCHED_END_GROUP("end of a group that was not started"),
    TOO_DEEP("messages are nested more than 100 deep"),
    INVALID_UTF8("string is not UTF-8");

    private final String text;

    WireFailure(String text) {
        this.text = text;
    }

    /** The failure in words. */
    public String text() {
        return text;
    }
}
