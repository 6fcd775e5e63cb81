package dev.loom.bench.scan;

import java.nio.file.Path;

/**
 * The store to scan.
 *
 * @param records records of the scanned source
 * @param others records of other sources, spread evenly among them
 * @param payloadLength bytes of each payload, a multiple of 8
 * @param ringBytes the writer's memory; {@link Residence#MEMORY} needs room for all records
 */
public record ScanSettings(
        Path directory,
        Path staging,
        Residence residence,
        long records,
        long others,
        int payloadLength,
        int ringBytes) {}
