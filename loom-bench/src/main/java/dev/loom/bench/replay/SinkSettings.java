package dev.loom.bench.replay;

import java.nio.file.Path;

/**
 * What a sink needs.
 *
 * @param directory on the disk to measure, with nothing else in it
 * @param staging in memory
 * @param python with {@code chdb}; empty for none
 * @param peers the folder of the peers' programs
 * @param influxd the program {@code influxd}; empty for none
 */
public record SinkSettings(ReplayPlan plan, Path directory, Path staging, String python, Path peers, String influxd) {}
