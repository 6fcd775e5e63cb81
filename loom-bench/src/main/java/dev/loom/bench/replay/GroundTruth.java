package dev.loom.bench.replay;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The planted records of a plan, in a file of their own: a line for each, ordered by source and time. */
public final class GroundTruth {
    private GroundTruth() {}

    /** Writes the file; without planted records it has a heading only. */
    public static void write(ReplayPlan plan, Path file) throws IOException {
        try (PrintStream out = new PrintStream(Files.newOutputStream(file), false, StandardCharsets.UTF_8)) {
            out.println("source,event,number,ts_ns,latency_ns");
            for (final ReplaySource source : plan.workload().sources(plan.phase())) {
                final RecordStream stream = new RecordStream(plan, source);
                for (final long number : stream.planted()) {
                    out.println(source.text() + "," + stream.event(number) + "," + number + "," + stream.timeNs(number)
                            + "," + (source.kind().hasLatency() ? stream.latencyNs(number) : ""));
                }
            }
            if (out.checkError()) {
                throw new IOException("file was not written: path=" + file);
            }
        }
    }
}
