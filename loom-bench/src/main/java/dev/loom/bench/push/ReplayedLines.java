package dev.loom.bench.push;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Lines of logs, back to back: those of {@code -Dloom.lines=FILE} in random order, or made-up ones. Each has an id of its own, so that
 * words come up as in logs: few in most lines, most in one alone. The same in each run. Immutable.
 */
public final class ReplayedLines {
    private static final int SEED = 7;
    private static final int KINDS_MIN = 200;

    private final UnsafeBuffer text;
    private final int[] offsets;

    private ReplayedLines(UnsafeBuffer text, int[] offsets) {
        this.text = text;
        this.offsets = offsets;
    }

    /** Makes some lines. */
    public static ReplayedLines of(int count) {
        final Random random = new Random(SEED);
        final List<String> kinds = new ArrayList<>();
        final String file = System.getProperty("loom.lines");
        if (file != null) {
            try {
                kinds.addAll(Files.readAllLines(Path.of(file), StandardCharsets.UTF_8));
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        for (int i = kinds.size(); i < KINDS_MIN; i++) {
            kinds.add("INFO dfs.DataNode$PacketResponder: Received block blk_" + random.nextInt(50) + " of size "
                    + random.nextInt(100_000) + " from /10.251." + random.nextInt(20) + ".1 in " + i + " ms");
        }
        final int[] offsets = new int[count + 1];
        final StringBuilder all = new StringBuilder();
        for (int i = 0; i < count; i++) {
            offsets[i] = all.length();
            all.append("id=").append(Long.toHexString(random.nextLong())).append(' ');
            all.append(kinds.get(random.nextInt(kinds.size())).replaceAll("[^\\x20-\\x7e]", "?"));
        }
        offsets[count] = all.length();
        return new ReplayedLines(new UnsafeBuffer(all.toString().getBytes(StandardCharsets.US_ASCII)), offsets);
    }

    public UnsafeBuffer text() {
        return text;
    }

    public int count() {
        return offsets.length - 1;
    }

    /** Where a line begins. */
    public int offset(int line) {
        return offsets[line];
    }

    /** The bytes of a line. */
    public int length(int line) {
        return offsets[line + 1] - offsets[line];
    }

    /** The bytes of all lines. */
    public long bytes() {
        return offsets[count()];
    }
}
