package dev.loom.bench.search;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What it took to take in a log.
 *
 * @param elapsedNs until all was stored, and nothing compacted or compressed any more
 * @param cpuNs of the engine, all threads
 * @param firstCpuNs of that, what it took until the last line was accepted
 */
public record Ingest(long elapsedNs, long cpuNs, long firstCpuNs) {
    /** Keeps it beside what was stored, for a later run over the same files. */
    void write(Path note) throws IOException {
        Files.writeString(note, elapsedNs + "\n" + cpuNs + "\n" + firstCpuNs + "\n");
    }

    /** Reads what a run before has kept. */
    static Ingest read(Path note) throws IOException {
        final List<Long> values =
                Files.readAllLines(note).stream().map(Long::parseLong).toList();
        return new Ingest(values.get(0), values.get(1), values.get(2));
    }
}
