package dev.loom.faults;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import java.io.IOException;
import java.nio.file.Path;

/** The main class of a process that pushes records which refer to others until it is killed, or has pushed enough; it says so now and then. */
final class ReferringProcess {
    static final int BATCHES = 14;

    private ReferringProcess() {}

    /** Arguments: directory, seed. Ends by being killed. */
    public static void main(String[] args) throws IOException {
        try (Loom loom = Loom.open(config(Path.of(args[0])).build())) {
            ReferringWriter writer = new ReferringWriter(loom, Long.parseLong(args[1]));
            for (int i = 0; i < BATCHES; i++) {
                writer.push(100);
                System.out.println("pushed");
            }
            System.in.read();
        }
    }

    static LoomConfig.Builder config(Path directory) {
        return LoomConfig.at(directory)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .segmentBytes(ReferringWriter.SEGMENT_LENGTH);
    }
}
