package dev.loom.query.series;

import org.jspecify.annotations.Nullable;

/** The kinds of metric. */
enum PointKind {
    GAUGE("gauge"),
    SUM("sum"),
    HISTOGRAM("histogram"),
    EXPONENTIAL_HISTOGRAM("exponential_histogram"),
    SUMMARY("summary");

    private final String text;

    PointKind(String text) {
        this.text = text;
    }

    /** The name as records have it. */
    String text() {
        return text;
    }

    /** Whether points have a count instead of a value. */
    boolean counts() {
        return this == HISTOGRAM || this == EXPONENTIAL_HISTOGRAM || this == SUMMARY;
    }

    static @Nullable PointKind of(String text) {
        for (PointKind kind : values()) {
            if (kind.text.equals(text)) {
                return kind;
            }
        }
        return null;
    }
}
