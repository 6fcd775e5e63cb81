package dev.loom.api;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The state of a {@link dev.loom.Recorder} at one moment.
 *
 * @param ringBytes size of its ring
 * @param usedBytes how much of it is in use
 * @param raised records stored with a time later than their arrival, because records ahead of them in the ring arrived
 *     later
 * @param raisedMax the largest such difference; a time is never raised beyond the moment when the record got its
 *     place in the ring
 * @param waits how often the recorder has waited for the store
 * @param failure why it no longer takes records, or null
 */
public record RecorderState(
        int ringBytes,
        int usedBytes,
        long raised,
        Duration raisedMax,
        long waits,
        @Nullable String failure) {}
