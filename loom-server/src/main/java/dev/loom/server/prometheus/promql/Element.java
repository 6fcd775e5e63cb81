package dev.loom.server.prometheus.promql;

import org.jspecify.annotations.Nullable;

/**
 * One series at a moment.
 *
 * @param value not used if there is a histogram
 */
public record Element(Labels labels, double value, @Nullable NativeHistogram histogram) {
    Element(Labels labels, double value) {
        this(labels, value, null);
    }

    Element(Labels labels, NativeHistogram histogram) {
        this(labels, 0, histogram);
    }

    Element with(Labels other) {
        return new Element(other, value, histogram);
    }

    Element with(double other) {
        return new Element(labels, other, null);
    }
}
