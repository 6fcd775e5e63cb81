package dev.loom.query.race;

import dev.loom.LoomReader;
import dev.loom.api.Snapshot;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * A reader in a process of its own. It is given {@code seed ringBytes} as arguments and lines of {@code directory id...} on
 * its standard input; for each it reads until the writer has closed the store, then answers with one line.
 */
final class RaceReaderProcess {
    private RaceReaderProcess() {}

    public static void main(String[] args) throws IOException {
        SplittableRandom random = new SplittableRandom(Long.parseLong(args[0]));
        int ringBytes = Integer.parseInt(args[1]);
        try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                String[] words = line.split(" ");
                int[] ids =
                        Arrays.stream(words).skip(1).mapToInt(Integer::parseInt).toArray();
                System.out.println(read(Path.of(words[0]), new RaceReader(ids, ringBytes, random), ids));
            }
        }
    }

    private static String read(Path directory, RaceReader reader, int[] ids) {
        try (LoomReader store = LoomReader.attach(directory)) {
            boolean live = true;
            while (live) {
                try (Snapshot snapshot = store.snapshot()) {
                    live = snapshot.live();
                    reader.check(snapshot);
                }
            }
            try (Snapshot snapshot = store.snapshot()) {
                reader.checkWhole(snapshot, ids[0]);
                reader.checkWhole(snapshot, ids[ids.length - 1]);
            }
            return "ok " + reader;
        } catch (RuntimeException | Error e) {
            e.printStackTrace();
            return "failed " + e;
        }
    }
}
