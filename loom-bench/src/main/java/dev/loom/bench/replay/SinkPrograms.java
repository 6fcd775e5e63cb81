package dev.loom.bench.replay;

import java.nio.file.Path;

/**
 * Where the systems are that are no part of the build. Empty for what is not there.
 *
 * @param python with {@code chdb}
 * @param peers the folder of the programs that this project has for them
 * @param influxd the program
 * @param prototype the folder of a build of the paper's prototype
 * @param fishstore the folder of a build of FishStore
 */
public record SinkPrograms(String python, Path peers, String influxd, String prototype, String fishstore) {}
