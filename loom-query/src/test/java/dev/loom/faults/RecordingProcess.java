package dev.loom.faults;

import dev.loom.Loom;
import dev.loom.Recorder;
import dev.loom.api.DropPolicy;
import dev.loom.api.Source;
import dev.loom.format.Formats;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;

/**
 * Records from several threads until it is killed, each to a source of its own, and notes in a mapped file how many were taken
 * of each. Now and then it says how many are in the log. Or, given no more than a directory, records a little, and ends.
 */
final class RecordingProcess {
    static final int PRODUCERS = 3;
    static final int RING_BYTES = 1 << 16;

    private RecordingProcess() {}

    public static void main(String[] args) throws IOException {
        Path directory = Path.of(args[0]);
        if (args.length == 1) {
            recordALittle(directory);
        } else {
            recordForEver(directory, Long.parseLong(args[1]), Path.of(args[2]));
        }
    }

    private static void recordALittle(Path directory) {
        try (Recorder recorder =
                Recorder.on(Loom.open(PushingProcess.config(directory).build())).start()) {
            int id = recorder.defineSource("source", Formats.parse("bytes"));
            for (int i = 0; i < 1_000; i++) {
                recorder.offer(id, new byte[64]);
            }
        }
        System.out.println("done");
    }

    static MappedByteBuffer counts(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MappedByteBuffer counts = channel.map(FileChannel.MapMode.READ_WRITE, 0, 64 * PRODUCERS);
            counts.order(ByteOrder.LITTLE_ENDIAN);
            return counts;
        }
    }

    private static void recordForEver(Path directory, long seed, Path countsFile) throws IOException {
        MappedByteBuffer counts = counts(countsFile);
        Recorder recorder = Recorder.on(
                        Loom.open(PushingProcess.config(directory).build()))
                .ringBytes(RING_BYTES)
                .start();
        for (int i = 0; i < PRODUCERS; i++) {
            String name = StoreOracle.name(i);
            int id = recorder.source(name)
                    .map(Source::id)
                    .orElseGet(
                            () -> recorder.defineSource(name, Formats.parse("bytes"), Map.of(), DropPolicy.refuse()));
            recorder.dropPolicy(id, DropPolicy.waitUpTo(Duration.ofHours(1)));
            int producer = i;
            Thread thread = new Thread(() -> {
                for (long taken = counts.getLong(64 * producer); true; taken++) {
                    int length = 28 + (int) (taken % 90);
                    recorder.offer(id, CheckedPayload.make(seed, producer, taken, length));
                    counts.putLong(64 * producer, taken + 1);
                }
            });
            thread.start();
        }
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        while (true) {
            StringBuilder line = new StringBuilder("synced");
            for (int i = 0; i < PRODUCERS; i++) {
                line.append(' ').append(counts.getLong(64 * i));
            }
            recorder.sync();
            out.println(line);
        }
    }
}
