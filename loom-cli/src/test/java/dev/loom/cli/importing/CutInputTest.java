package dev.loom.cli.importing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.Cli;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Inputs that are cut at their end, and records of which only a part is kept. */
final class CutInputTest {
    private static final int ROWS = 500;

    @TempDir
    Path directory;

    private Cli cli = new Cli();

    /** The end comes within the rows that types, or the form of times, are inferred from. */
    @Test
    void shouldTakeTheFirstRowsOfAFileThatIsCutWithinThem() throws IOException {
        cli = Cli.onSmallStore(directory.resolve("store"));
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        Random random = new Random(seed);
        StringBuilder rows = new StringBuilder("n,any\n");
        for (int i = 0; i < ROWS; i++) {
            rows.append(i).append(',').append(random.nextLong()).append('\n');
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(rows.toString().getBytes(StandardCharsets.UTF_8));
        }
        Path cut = Files.write(directory.resolve("cut.gz"), Arrays.copyOf(bytes.toByteArray(), bytes.size() * 4 / 5));
        long whole = imported(cut, "given", "csv", "--types", "n:i64,any:i64");
        assertTrue(whole > ROWS / 2 && whole < ROWS, "whole=" + whole + ", seed=" + seed);
        assertEquals(whole, imported(cut, "inferred", "csv"), "seed=" + seed);
        assertEquals(whole + 1, imported(cut, "text", "lines"), "seed=" + seed);
        String last = cli.run("agg", "inferred", "n").ok().out();
        assertTrue(last.contains("\"max\":" + (whole - 1)), last);
    }

    private long imported(Path file, String source, String format, String... options) {
        String[] command = {"import", "--source", source, "--format", format, file.toString()};
        String[] all = Arrays.copyOf(command, command.length + options.length);
        System.arraycopy(options, 0, all, command.length, options.length);
        String err = cli.run(all).exit(4).err();
        assertTrue(err.contains("loom: input is damaged: gzip ends early: "), err);
        assertTrue(err.contains("; incomplete\n"), err);
        return Long.parseLong(err.replaceAll("(?s).*imported (\\d+) records.*", "$1"));
    }

    /** The lines behind it are looked for, which may join. */
    @Test
    void shouldTakeTheLastWholeRecordOfALogThatIsCut() throws IOException {
        cli = Cli.onSmallStore(directory.resolve("store"));
        StringBuilder log = new StringBuilder();
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int i = 0; i < ROWS; i++) {
            log.append(String.format(Locale.ROOT, "2026-11-20 10:00:00,%03d INFO %d\n", i, random.nextLong()));
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(log.toString().getBytes(StandardCharsets.UTF_8));
        }
        Path cut = Files.write(directory.resolve("cut.gz"), Arrays.copyOf(bytes.toByteArray(), bytes.size() * 4 / 5));
        long lines = imported(cut, "text", "lines", "--time-pattern", "none");
        assertTrue(lines > ROWS / 2 && lines < ROWS, "lines=" + lines + ", seed=" + seed);
        assertEquals(
                lines, imported(cut, "given", "lines", "--time-pattern", "yyyy-MM-dd HH:mm:ss,SSS"), "seed=" + seed);
        assertEquals(lines, imported(cut, "recognised", "lines"), "seed=" + seed);
    }

    @Test
    void shouldGoOnWithTheFileBehindADamagedOne() throws IOException {
        cli = Cli.onSmallStore(directory.resolve("store"));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write("one\ntwo\nthree\n".getBytes(StandardCharsets.US_ASCII));
        }
        byte[] whole = bytes.toByteArray();
        Path[] files = {
            Files.write(directory.resolve("whole.gz"), whole),
            Files.write(directory.resolve("cut.gz"), Arrays.copyOf(whole, 12)),
            Files.write(directory.resolve("behind.gz"), whole)
        };
        String[] stopping = {"import", "--source", "stopping", "--format", "lines", "--time-pattern", "none"};
        String err = run(stopping, files).exit(4).err();
        assertTrue(err.contains("loom: input is damaged: gzip ends early: "), err);
        assertTrue(err.contains(", file=" + files[1] + "\n"), err);
        assertTrue(
                err.endsWith("loom: not imported, as the import stopped before: files=1, first=" + files[2] + "\n"),
                err);
        String[] skipping = {
            "import", "--source", "skipping", "--format", "lines", "--time-pattern", "none", "--on-bad", "skip"
        };
        String skipped = run(skipping, files).exit(4).err();
        assertTrue(skipped.contains(", file=" + files[1] + "\n"), skipped);
        assertFalse(skipped.contains("not imported"), skipped);
        String sources = cli.run("sources").ok().out();
        assertTrue(sources.contains("\"name\":\"stopping\",\"id\":1,\"format\":\"text\",\"records\":3,"), sources);
        assertTrue(sources.contains("\"name\":\"skipping\",\"id\":2,\"format\":\"text\",\"records\":6,"), sources);
    }

    private Cli.Result run(String[] command, Path... files) {
        return cli.run(Stream.concat(Stream.of(command), Stream.of(files).map(Path::toString))
                .toArray(String[]::new));
    }

    @Test
    void shouldSayWhichRejectedRowsAreNotWhole() throws IOException {
        Path rejects = directory.resolve("rejects");
        String tooLong = "x".repeat(14 << 20);
        for (String format : List.of("csv", "jsonl", "lines")) {
            cli = Cli.onSmallStore(directory.resolve(format));
            String text = (format.equals("csv") ? "a" : "{}") + '\n' + tooLong + '\n';
            String[] options = {"--on-bad", "skip", "--rejects", rejects.toString()};
            String err = cli.importText("s", format, text, options).ok().err();
            assertTrue(err.endsWith("; 1 skipped; too long to be whole in the rejects: 1\n"), err);
            assertTrue(Files.size(rejects) < tooLong.length(), format);
        }
        // a log with times joins lines
        cli = Cli.onSmallStore(directory.resolve("log"));
        String time = "2026-11-21T02:46:35.912Z ";
        String err = cli.importText(
                        "s", "lines", time + "a\n" + tooLong + '\n', "--on-bad", "skip", "--rejects", "" + rejects)
                .ok()
                .err();
        assertTrue(err.endsWith("; 1 skipped; too long to be whole in the rejects: 1\n"), err);
    }
}
