package dev.loom.otlp.format;

/** A member of an object written as JSON: its name, and the message field that it comes from. */
record Member(String name, Type type, int tag) {
    /** The type of the field. All but {@link #DOUBLE_OR_ZERO} are left out if there is no value. */
    enum Type {
        TIME,
        TEXT,
        TRACE_ID,
        SPAN_ID,
        PAIRS,
        NUMBER,
        INTEGER,
        DOUBLE,
        DOUBLE_OR_ZERO
    }
}
