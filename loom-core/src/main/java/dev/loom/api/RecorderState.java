package dev.loom.api;

import org.jspecify.annotations.Nullable;

/**
 * A {@link dev.loom.Recorder} at one moment.
 *
 * @param ringBytes size of its ring
 * @param usedBytes how much of that is in use
 * @param raised records stored with a later time than they arrived at, since others that were taken before them had arrived
 *     later
 * @param raisedNsMax by how much at most, ns; never beyond the moment at which the record had its place in the ring
 * @param waits how often the recorder has waited for the store
 * @param failure why it takes no records any more, or null
 */
public record RecorderState(
        int ringBytes,
        int usedBytes,
        long raised,
        long raisedNsMax,
        long waits,
        @Nullable String failure) {}
