package dev.loom.query.histogram;

import dev.loom.query.model.TimeRange;
import dev.loom.query.plan.EventTimes;
import dev.loom.read.ChunkCursor;
import org.jspecify.annotations.Nullable;

/** Finds the step that all records of a chunk lie in. For one thread. */
public final class ChunkSteps {
    /** In place of a step: there are several, it is not known which, or some records lie outside the range of all steps. */
    public static final int SEVERAL = -1;

    private final TimeSteps steps;
    private final @Nullable EventTimes times;

    /** @param times for steps by the records' own times; null for steps by arrival */
    public ChunkSteps(TimeSteps steps, @Nullable EventTimes times) {
        this.steps = steps;
        this.times = times;
    }

    /** The step of a chunk, or {@link #SEVERAL}. */
    public int of(ChunkCursor chunk) {
        long firstNs = chunk.firstTimeNs();
        long lastNs = chunk.lastTimeNs();
        if (times != null) {
            TimeRange range = times.of(chunk);
            firstNs = range.fromNs();
            lastNs = range.lastNs();
        }
        TimeRange all = steps.range();
        if (firstNs < all.fromNs() || all.endsBefore(lastNs)) {
            return SEVERAL;
        }
        int step = steps.step(firstNs);
        return step == steps.step(lastNs) ? step : SEVERAL;
    }
}
