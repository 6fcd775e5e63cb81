package dev.loom.server.prometheus.promql;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where samples come from. */
@FunctionalInterface
public interface SeriesSource {
    /**
     * What a selector needs.
     *
     * @param matchers that must all hold
     * @param steps the times for which it is asked, moved by the selector's offset
     * @param rangeMs how far it reaches back from each step; the lookback, if it asks for the last value
     * @param function that takes the samples of a time; null if it asks for the last value
     */
    record Selection(
            List<Matcher> matchers,
            Steps steps,
            long rangeMs,
            @Nullable Function function) {
        /** The first moment that is not needed any more, before the first step. */
        public long afterMs() {
            return steps.startMs() - rangeMs;
        }

        /** Whether labels meet all conditions. */
        public boolean matches(Labels labels) {
            for (Matcher matcher : matchers) {
                if (!matcher.matches(labels.get(matcher.label()))) {
                    return false;
                }
            }
            return true;
        }
    }

    /**
     * The series that meet a selection, each with its samples after {@link Selection#afterMs()} and up to the last step.
     *
     * @throws EvaluationException if they can't be had so
     */
    List<StoredSeries> select(Selection selection);
}
