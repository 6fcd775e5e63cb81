package dev.loom.bench.scan;

import java.nio.file.Path;

/**
 * The store to be scanned.
 *
 * @param records of the source that is scanned for
 * @param others records of other sources, spread evenly among them
 * @param payloadLength bytes of each, a multiple of 8
 * @param ringBytes the writer's memory; for {@link Residence#MEMORY} it has to hold all
 */
public record ScanSettings(
        Path directory,
        Path staging,
        Residence residence,
        long records,
        long others,
        int payloadLength,
        int ringBytes) {}
