package dev.loom.faults;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The main class of a process that is going to be killed: it pushes {@link CheckedPayload}s to a store, and says on standard
 * output how many each source has after every batch it published, and what it is about to do otherwise.
 */
final class PushingProcess {
    static final int RING_BYTES = LoomConfig.RING_BYTES_MIN;

    private final PrintStream out = new PrintStream(
            new BufferedOutputStream(new FileOutputStream(FileDescriptor.out)), false, StandardCharsets.UTF_8);
    private final Path directory;
    private final long seed;
    private final Random random;
    private final StoreOracle oracle;
    private final long[] counts;
    private int[] ids = {};

    private PushingProcess(Path directory, long seed, long run, int sources) {
        this.directory = directory;
        this.seed = seed;
        this.random = new Random(seed * 31 + run);
        this.oracle = new StoreOracle(seed, sources);
        this.counts = new long[sources];
    }

    /** Arguments: directory, seed of the payloads, number of this run, number of sources. Never returns. */
    public static void main(String[] args) {
        Path directory = Path.of(args[0]);
        new PushingProcess(directory, Long.parseLong(args[1]), Long.parseLong(args[2]), Integer.parseInt(args[3]))
                .run();
    }

    static LoomConfig.Builder config(Path directory) {
        return LoomConfig.at(directory)
                .recordRingBytes(RING_BYTES)
                .timeRingBytes(RING_BYTES)
                .chunkRingBytes(RING_BYTES)
                .segmentBytes(7 << 16);
    }

    private void run() {
        while (true) {
            say("opening");
            Loom loom = Loom.open(config(directory)
                    .rebuildIndexes(random.nextInt(4) == 0)
                    .backgroundRebuildBytes((long) random.nextInt(8) << 16)
                    .compressAfter(random.nextBoolean() ? Duration.ZERO : null)
                    .compressionShare(1)
                    .build());
            ids = oracle.define(loom);
            long[] found = oracle.count(loom);
            System.arraycopy(found, 0, counts, 0, counts.length);
            report();
            for (int batches = random.nextInt(300); batches > 0; batches--) {
                push(loom);
            }
            say("closing");
            loom.close();
        }
    }

    private void push(Loom loom) {
        int choice = random.nextInt(100);
        if (choice < 2) {
            say("forcing");
            loom.force();
        } else if (choice < 15) {
            pushBatch(loom, random.nextInt(counts.length));
        } else {
            for (int records = 1 + random.nextInt(40); records > 0; records--) {
                int source = random.nextInt(20) == 0 ? counts.length - 1 : random.nextInt(counts.length);
                loom.push(ids[source], CheckedPayload.make(seed, source, counts[source]));
                counts[source]++;
            }
        }
        report();
    }

    private void pushBatch(Loom loom, int source) {
        int[] lengths = new int[1 + random.nextInt(20)];
        byte[][] payloads = new byte[lengths.length][];
        int total = 0;
        for (int i = 0; i < lengths.length; i++) {
            payloads[i] = CheckedPayload.make(seed, source, counts[source]++);
            lengths[i] = payloads[i].length;
            total += lengths[i];
        }
        UnsafeBuffer buffer = new UnsafeBuffer(new byte[total]);
        int at = 0;
        for (byte[] payload : payloads) {
            buffer.putBytes(at, payload);
            at += payload.length;
        }
        loom.pushBatch(ids[source], buffer, 0, lengths, lengths.length);
    }

    private void report() {
        StringBuilder line = new StringBuilder("pushed");
        for (long count : counts) {
            line.append(' ').append(count);
        }
        say(line.toString());
    }

    private void say(String line) {
        out.append(line).append('\n');
        out.flush();
    }
}
