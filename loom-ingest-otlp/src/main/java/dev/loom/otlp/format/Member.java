package dev.loom.otlp.format;

/** A member of an object that is written as JSON: its name, and the field of the message that it is made of. */
record Member(String name, Type type, int tag) {
    /** What the field is. All but {@link #DOUBLE_OR_ZERO} are left out where there is nothing to tell. */
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
