package dev.loom.otlp.format;

/** The meaning of a field's bytes. */
enum Form {
    /** A text; an empty one is no value. */
    TEXT,
    /** Eight or sixteen bytes as hexadecimal text; another length, or all zero, is no value. */
    SPAN_ID,
    TRACE_ID,
    /** Nanoseconds, unsigned; zero is no value. */
    TIME,
    /** An unsigned number, 0 if none was sent; of 32 bits, or of 64. */
    NUMBER,
    NUMBER64,
    /** A signed number of 32 bits; zero is no value. */
    NUMBER_BUT_ZERO,
    /** The number of an enumeration value, 0 if none was sent. */
    ENUM,
    /** A double, 0 if none was sent. */
    DOUBLE,
    /** A double, no value if none was sent. */
    OPTIONAL_DOUBLE,
    /** A boolean, false if none was sent. */
    BOOL,
    /** The number of times that the field occurs. */
    COUNT,
    /** A span's kind as text. */
    SPAN_KIND,
    /** A status code as text. */
    STATUS,
    /** A metric's temporality as text; unspecified is no value. */
    TEMPORALITY
}
