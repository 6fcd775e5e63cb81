package dev.loom.otlp.format;

/** What the bytes of a field mean. */
enum Form {
    /** Text; the empty one is no value. */
    TEXT,
    /** Eight or sixteen bytes as hexadecimal text; of another length, or all zero, they are no value. */
    SPAN_ID,
    TRACE_ID,
    /** Nanoseconds, unsigned; zero is no value. */
    TIME,
    /** An unsigned number that is 0 where none was sent; of 32 bits, and of 64. */
    NUMBER,
    NUMBER64,
    /** A signed number of 32 bits, of which zero is no value. */
    NUMBER_BUT_ZERO,
    /** A number of an enumeration, 0 where none was sent. */
    ENUM,
    /** A double, 0 where none was sent. */
    DOUBLE,
    /** A double that has no value where none was sent. */
    OPTIONAL_DOUBLE,
    /** False where none was sent. */
    BOOL,
    /** How often the field is there. */
    COUNT,
    /** A span's kind as text. */
    SPAN_KIND,
    /** A status' code as text. */
    STATUS,
    /** A metric's temporality as text; unspecified is no value. */
    TEMPORALITY
}
