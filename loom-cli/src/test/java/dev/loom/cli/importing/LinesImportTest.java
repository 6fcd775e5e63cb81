package dev.loom.cli.importing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.Cli;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LinesImportTest {
    @TempDir
    Path directory;

    private Cli cli;

    @BeforeEach
    void open() {
        cli = Cli.on(directory.resolve("store"));
    }

    private String raw() {
        return cli.run("scan", "s", "--asc", "-o", "raw").ok().out();
    }

    @Test
    void shouldKeepEveryLineWithoutItsEnd() {
        cli.importText("s", "lines", "first\r\n\n  third\t\nlast").ok();
        assertEquals("first\n\n  third\t\nlast\n", raw());
        String json = cli.run("scan", "s", "--limit", "1").ok().out();
        assertTrue(json.endsWith("\"fields\":{\"line\":\"last\"}}\n"), json);
    }

    /** It would have no times for good. */
    @Test
    void shouldDefineNoSourceWhoseTimesNoLineTells() {
        Cli.Result none = cli.importText("log", "lines", "").ok();
        assertTrue(
                none.err().contains("loom: the source is not defined, as no record shows its format: source=log\n"),
                none.err());
        cli.importText("log", "lines", "2026-11-24 18:01:47 text\n").ok();
        assertTrue(cli.run("scan", "log", "-o", "json").ok().out().contains("\"event_time\":"));
        cli.importText("plain", "lines", "", "--time-pattern", "none").ok();
        assertEquals(2, cli.run("sources", "-o", "json").ok().lines().size());
    }

    /** What the tools wrote of the same three lines. */
    @ParameterizedTest
    @CsvSource({
        "zstd, zstdcat, KLUv/QRYYQAAbix0CjEseAoyLHkK4SH/vQ==",
        "xz, xzcat, /Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQALbix0CjEseAoyLHkKAIYMUi4dvtrSAAEkDKYY2NgftvN9AQAAAAAEWVo=",
        "bzip2, bzcat, QlpoOTFBWSZTWbWSlSQAAARZgAAQAAQwAAABBGAgADEMCCNBmo4EIheLuSKcKEhayUqSAA==",
        "zip, unzip -p, UEsDBBQAAAAIAJx9gV0qoISJCgAAAAwAAAAFAAAAeC5jc3ar0CnhMtQxAmMAUEsBAhQDFAAAAAgAnH2BXSqghIkKAAAADAAAAAUAAAAAAAAAAAAAAIABAAAAAHguY3N2UEsFBgAAAAABAAEAMwAAAC0AAAAAAA==",
        "lz4, lz4 -dc, BCJNGGBAggwAAIB4LHQKMSwyCjEsMgoAAAAA"
    })
    void shouldRefuseWhatItCannotDecompress(String name, String command, String base64) {
        byte[] compressed = Base64.getDecoder().decode(base64);
        for (String format : List.of("lines", "csv", "jsonl")) {
            cli.input(new ByteArrayInputStream(compressed))
                    .run("import", "--source", "s", "--format", format, "-")
                    .exit(4)
                    .says("input is compressed with " + name + ": decompress it first, as with " + command
                            + " FILE | loom import ... -");
        }
        assertEquals(List.of(), cli.run("sources", "-o", "json").ok().lines());
    }

    @ParameterizedTest
    @ValueSource(strings = {"B", "BZh", "BZh0", "BZh9", "BZh91AY", "BZ", "BZhang", "PK", "PK3"})
    void shouldTakeTextThatOnlyBeginsLikeCompressed(String text) {
        cli.importText("s", "lines", text).ok();
        assertEquals(text + "\n", raw());
    }

    /** The rest of the last line would be counted as lines. */
    @Test
    void shouldCountTheFirstLinesWithoutALastLineFeed() {
        String err = cli.importText("s", "lines", "one\ntwo\nthree").ok().err();
        assertTrue(err.startsWith("loom: times: none found in the first 3 lines; "), err);
        err = cli.importText("t", "lines", "one").ok().err();
        assertTrue(err.startsWith("loom: times: none found in the first line; "), err);
    }

    @Test
    void shouldKeepJsonAsItIs() {
        cli.importText("s", "jsonl", "{\"b\":1.50, \"a\":null}\n\n {\"big\":12345678901234567890123} \r\n")
                .ok();
        assertEquals("{\"b\":1.50, \"a\":null}\n {\"big\":12345678901234567890123} \n", raw());
        String json = cli.run("scan", "s", "--asc", "--limit", "1").ok().out();
        assertTrue(json.endsWith("\"fields\":{\"b\":1.50,\"a\":null}}\n"), json);
    }

    @Test
    void shouldKeepLongLinesOfJsonAmongShortOnes() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder();
        int[] arounds = {10, 4_000, 8_000, 8_192, 16_384, 65_536, 131_072};
        for (int line = 0; line < 300; line++) {
            int length = Math.max(8, arounds[random.nextInt(arounds.length)] + random.nextInt(41) - 20);
            text.append("{\"a\":\"").append("x".repeat(length - 8)).append("\"}\n");
        }
        cli.importText("s", "jsonl", text.toString()).ok();
        assertTrue(text.toString().equals(raw()), "seed=" + seed);
    }

    @Test
    void shouldStopAtALineThatIsNotJson() {
        Cli.Result result =
                cli.importText("s", "jsonl", "{\"a\":1}\n[1]\n{\"a\":2}\n").exit(4);
        assertTrue(result.err().startsWith("loom: line 2: not a JSON object\n"), result.err());
        assertTrue(result.err().contains("; 1 bad, stopped there\n"), result.err());
        assertEquals("{\"a\":1}\n", raw());
    }

    @Test
    void shouldSkipLinesThatAreNotJson() throws IOException {
        Path rejects = directory.resolve("rejects");
        cli.importText(
                        "s",
                        "jsonl",
                        "{\"a\":1}\n[1]\r\n{\"a\":2}\n{",
                        "--on-bad",
                        "skip",
                        "--rejects",
                        rejects.toString())
                .ok();
        assertEquals("{\"a\":1}\n{\"a\":2}\n", raw());
        assertEquals("[1]\r\n{", Files.readString(rejects));
    }

    @Test
    void shouldKeepRejectsOfSeveralFilesApart() throws IOException {
        Path cut = Files.writeString(directory.resolve("a.jsonl"), "{\"a\":1}\n{\"b");
        Path other = Files.writeString(directory.resolve("b.jsonl"), "[1]\n{\"a\":2}\n[2]");
        Path rejects = directory.resolve("rejects");
        cli.run(
                        "import",
                        "--source",
                        "s",
                        "--format",
                        "jsonl",
                        "--on-bad",
                        "skip",
                        "--rejects",
                        rejects.toString(),
                        cut.toString(),
                        other.toString())
                .ok();
        assertEquals("{\"b\n[1]\n[2]", Files.readString(rejects));
    }

    @Test
    void shouldSkipAByteOrderMark() {
        cli.importText("s", "jsonl", "\uFEFF{\"a\":1}\n").ok();
        assertEquals("{\"a\":1}\n", raw());
    }

    @Test
    void shouldTellALineThatNoStoreTakes() {
        String tooLong = "x".repeat(17 << 20);
        Cli.Result result = cli.importText("s", "lines", "a\n" + tooLong + "\nb\n", "--on-bad", "skip")
                .ok();
        assertTrue(result.err().contains("\nloom: line 2: line is longer than "), result.err());
        assertEquals("a\nb\n", raw());
    }

    @Test
    void shouldImportRecordsLargerThanABatch() {
        String large = "y".repeat(3 << 20);
        cli.importText("s", "lines", "a\n" + large + "\nb\n" + large + "\n").ok();
        assertEquals("a\n" + large + "\nb\n" + large + "\n", raw());
    }
}
