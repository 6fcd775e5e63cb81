package dev.loom.bench.replay;

import java.nio.file.Path;

/**
 * What a sink needs.
 *
 * @param directory on the disk to measure, with nothing else in it
 * @param staging in memory
 */
public record SinkSettings(ReplayPlan plan, Path directory, Path staging, SinkPrograms programs) {}
