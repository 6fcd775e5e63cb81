package dev.loom.bench.jmh;

import dev.loom.api.TextIndexParameters;
import dev.loom.bench.push.ReplayedLines;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
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
 * 20,000 lines ({@link ReplayedLines}) a unit, as large as units of such lines become.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class TextIndexBenchmark {
    private static final int LINES = 20_000;
    private static final int CHUNK = 400;

    /** Whether units have lists of rows, counts and prefixes. */
    @Param({"true", "false"})
    public boolean lists;

    private final TokenReader tokens = new TokenReader();
    private ReplayedLines lines = ReplayedLines.of(1);
    private int line;
    private RowTokens rows = new RowTokens(IndexedText.NONE, Formats.text(), null);
    private @Nullable UnitAssembler unit;

    /** Makes the lines, and writes units of them until these have found their size. */
    @Setup
    public void makeLines() throws IOException {
        lines = ReplayedLines.of(LINES);
        rows = new RowTokens(Formats.text().indexedText(), Formats.text(), null);
        System.out.println("bytes a line: " + lines.bytes() / LINES);
        Path folder = Files.createTempDirectory("loom-units");
        SourceUnits units = new SourceUnits(
                new UnitFiles(Storage.DISK, folder),
                1,
                1,
                Formats.text().indexedText(),
                new TextIndexLimits(lists, TextIndexParameters.DEFAULT.withUnitRows(LINES), Long.MAX_VALUE));
        for (int chunk = 0; chunk < 10 * LINES / CHUNK; chunk++) {
            if (units.assembler().isFull(CHUNK)) {
                units.write(room -> true, () -> {});
            }
            units.assembler().beginChunk(chunk);
            for (int i = 0; i < CHUNK; i++) {
                addRow(units.assembler());
            }
            units.assembler().endChunk(chunk + 1);
        }
        unit = units.assembler();
        unit.reset();
        try (Stream<Path> files = Files.list(folder)) {
            files.forEach(file -> file.toFile().delete());
        }
        Files.delete(folder);
    }

    private int next() {
        line = line + 1 == LINES ? 0 : line + 1;
        return line;
    }

    /** Reads the tokens, which digests them as it goes. */
    @Benchmark
    public int readTokens() {
        int i = next();
        tokens.wrap(lines.text(), lines.offset(i), lines.length(i));
        int count = 0;
        while (tokens.next()) {
            count += tokens.length();
        }
        return count;
    }

    /** Reads the tokens, and finishes their digests. */
    @Benchmark
    public long digestTokens() {
        int i = next();
        tokens.wrap(lines.text(), lines.offset(i), lines.length(i));
        long sum = 0;
        while (tokens.next()) {
            sum += TokenDigest.of(tokens);
        }
        return sum;
    }

    /** Adds a row to a unit. */
    @Benchmark
    public void addRow() {
        UnitAssembler added = Objects.requireNonNull(unit);
        if (added.isFull(1)) {
            added.clear();
        }
        addRow(added);
    }

    private void addRow(UnitAssembler added) {
        int i = next();
        added.nextRow();
        rows.read(0, lines.text(), lines.offset(i), lines.length(i), added);
    }
}
