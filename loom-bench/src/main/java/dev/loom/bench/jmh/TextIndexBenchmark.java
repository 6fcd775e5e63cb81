package dev.loom.bench.jmh;

import dev.loom.filter.RowTokens;
import dev.loom.filter.SourceUnits;
import dev.loom.filter.TextIndexLimits;
import dev.loom.filter.UnitAssembler;
import dev.loom.filter.UnitFiles;
import dev.loom.format.Formats;
import dev.loom.format.IndexedText;
import dev.loom.io.Storage;
import dev.loom.text.TokenDigest;
import dev.loom.text.TokenReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What building the text index costs for each line of a log: reading its tokens, their digests, and a unit of either configuration.
 * Lines are those of {@code -Dloom.lines=FILE}, or made up; each gets an id of its own. 20,000 lines a unit, which is never written.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class TextIndexBenchmark {
    private static final int LINES = 20_000;
    private static final int SEED = 7;

    /** Whether units have lists of rows, counts and prefixes. */
    @Param({"true", "false"})
    public boolean lists;

    private final TokenReader tokens = new TokenReader();
    private UnsafeBuffer text = new UnsafeBuffer(new byte[0]);
    private final int[] offsets = new int[LINES + 1];
    private int line;
    private RowTokens rows = new RowTokens(IndexedText.NONE, Formats.text(), null);
    private UnitAssembler unit = assembler();

    private UnitAssembler assembler() {
        Path folder = Path.of(System.getProperty("java.io.tmpdir"), "no-such-store", UnitFiles.FOLDER);
        return new SourceUnits(
                        new UnitFiles(Storage.DISK, folder),
                        1,
                        1,
                        Formats.text().indexedText(),
                        new TextIndexLimits(lists, LINES, Long.MAX_VALUE))
                .assembler();
    }

    /** Makes the lines. */
    @Setup
    public void makeLines() throws IOException {
        Random random = new Random(SEED);
        List<String> some = new ArrayList<>();
        String file = System.getProperty("loom.lines");
        if (file != null) {
            some.addAll(Files.readAllLines(Path.of(file), StandardCharsets.UTF_8));
        }
        for (int i = some.size(); i < 200; i++) {
            some.add("INFO dfs.DataNode$PacketResponder: Received block blk_" + random.nextInt(50) + " of size "
                    + random.nextInt(100_000) + " from /10.251." + random.nextInt(20) + ".1 in " + i + " ms");
        }
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < LINES; i++) {
            offsets[i] = all.length();
            all.append("id=").append(Long.toHexString(random.nextLong())).append(' ');
            all.append(some.get(random.nextInt(some.size())).replaceAll("[^\\x20-\\x7e]", "?"));
        }
        offsets[LINES] = all.length();
        text = new UnsafeBuffer(all.toString().getBytes(StandardCharsets.US_ASCII));
        rows = new RowTokens(Formats.text().indexedText(), Formats.text(), null);
        unit = assembler();
        System.out.println("bytes a line: " + all.length() / LINES);
    }

    private int next() {
        line = line + 1 == LINES ? 0 : line + 1;
        return line;
    }

    /** Reads the tokens. */
    @Benchmark
    public int readTokens() {
        int i = next();
        tokens.wrap(text, offsets[i], offsets[i + 1] - offsets[i]);
        int count = 0;
        while (tokens.next()) {
            count += tokens.length();
        }
        return count;
    }

    /** Reads the tokens, and digests them. */
    @Benchmark
    public long digestTokens() {
        int i = next();
        tokens.wrap(text, offsets[i], offsets[i + 1] - offsets[i]);
        long sum = 0;
        while (tokens.next()) {
            sum += TokenDigest.of(tokens);
        }
        return sum;
    }

    /** Adds a row to a unit. */
    @Benchmark
    public void addRow() {
        int i = next();
        if (unit.rows() == LINES) {
            unit.clear();
        }
        unit.nextRow();
        rows.read(0, text, offsets[i], offsets[i + 1] - offsets[i], unit);
    }
}
