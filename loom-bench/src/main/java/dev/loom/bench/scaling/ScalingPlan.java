package dev.loom.bench.scaling;

import dev.loom.bench.push.PushSettings;

/**
 * What one run does.
 *
 * @param kind the store
 * @param threads that push
 * @param warmUpSeconds pushed before, then handed to the files
 * @param seconds measured
 * @param rate records a second of all threads, on an open-loop schedule; 0 for as fast as the store takes them
 */
public record ScalingPlan(
        ScalingKind kind, PushSettings settings, int threads, double warmUpSeconds, double seconds, double rate) {}
