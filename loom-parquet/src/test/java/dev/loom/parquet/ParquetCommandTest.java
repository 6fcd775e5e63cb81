package dev.loom.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.cli.Main;
import dev.loom.cli.console.Console;
import dev.loom.format.Formats;
import dev.loom.server.text.DataOutput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code loom export --format parquet}, with this module on the class path. */
class ParquetCommandTest {
    @TempDir
    Path directory;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private Path store() {
        return directory.resolve("store");
    }

    private Path file() {
        return directory.resolve("out.parquet");
    }

    private int export(String... options) {
        out.reset();
        err.reset();
        List<String> arguments = new ArrayList<>(List.of("export", "--format", "parquet"));
        arguments.addAll(List.of(options));
        Console console = new Console(
                InputStream.nullInputStream(),
                new DataOutput(out, false),
                err,
                false,
                false,
                Map.of("LOOM_DIR", store().toString()),
                System::currentTimeMillis);
        return Main.run(console, arguments.toArray(String[]::new));
    }

    private String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    private void fill(int records, int length) {
        Random random = new Random(seed);
        try (Loom loom = Loom.open(LoomConfig.at(store()).build())) {
            int id = loom.defineSource("s", Formats.text());
            loom.defineSource("other", Formats.json());
            byte[] line = new byte[length];
            for (int i = 0; i < records; i++) {
                random.nextBytes(line);
                for (int k = 0; k < length; k++) {
                    line[k] = (byte) (' ' + (line[k] & 63));
                }
                assertTrue(loom.push(id, line) >= 0);
            }
        }
    }

    @Test
    void shouldWriteTheFileThatIsNamed() {
        fill(1000, 100);
        assertEquals(0, export("--source", "s", "--output", file().toString()), err());
        assertTrue(err().startsWith("loom: exported 1000 records of 1 source in "), err());
        assertEquals(List.of("1000|100000"), DuckFile.query(file(), "select count(*), sum(strlen(line)) from FILE"));
        assertEquals(2, export("--source", "s", "--output", file().toString()));
        assertTrue(err().contains("file exists: file=" + file()), err());
    }

    @Test
    void shouldWriteToStandardOutput() throws IOException {
        fill(10, 10);
        assertEquals(0, export("--source", "s"), err());
        Files.write(file(), out.toByteArray());
        assertEquals(List.of("10"), DuckFile.query(file(), "select count(*) from FILE"));
    }

    @Test
    void shouldRefuseWhatMakesNoSense() throws IOException {
        fill(0, 0);
        assertEquals(2, export("--output", file().toString()));
        assertTrue(err().contains("parquet has the records of one source; name it: s, other"), err());
        assertEquals(2, export("--source", "s", "--time", "event"));
        assertTrue(err().contains("--format parquet is a range of arrival times"), err());
        assertEquals(2, export("--source", "s", "--column", "a:f46", "--output", file().toString()));
        assertTrue(err().contains("unknown field type: type=f46, known=i8"), err());
        assertEquals(2, export("--source", "s", "--column", "a", "--output", file().toString()));
        assertTrue(err().contains("--column: source has no such field: source=s, field=a"), err());
        assertEquals(List.of("store"), folder());
    }

    private List<String> folder() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void shouldSayWhatBecameOfValues() {
        try (Loom loom = Loom.open(LoomConfig.at(store()).build())) {
            int id = loom.defineSource("s", Formats.json());
            loom.push(id, "{\"n\":1,\"t\":\"a\"}".getBytes(StandardCharsets.UTF_8));
            loom.push(id, "{\"n\":true,\"t\":\"\u00e9\"}".getBytes(StandardCharsets.ISO_8859_1));
        }
        assertEquals(0, export("--source", "s", "--column", "n:i8", "--column", "t", "--output", file().toString()));
        assertTrue(err().contains("values that their column can't hold are null: values=1\n"), err());
        assertTrue(err().contains("texts that are not UTF-8 have U+FFFD where they are not: values=2\n"), err());
        assertEquals(List.of("1|a", "null|\ufffd"), DuckFile.query(file(), "select n, t from FILE order by addr"));
    }

    @Test
    void shouldSayWhatDamageLeftOut() throws IOException {
        fill(2000, 1000);
        Path segment = store().resolve("record/00000000000000000000.seg");
        byte[] bytes = Files.readAllBytes(segment);
        bytes[70_000] ^= 1;
        Files.write(segment, bytes);
        assertEquals(3, export("--source", "s", "--output", file().toString()));
        assertTrue(err().contains("incomplete export: the store has damage: pages left out=1"), err());
        assertTrue(Files.exists(file()));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldSayThatTheDiskIsFull() {
        fill(2000, 1000);
        assertEquals(1, export("--source", "s", "--output", "/dev/full"));
        assertTrue(err().contains("can't write the export: file=/dev/full, reason="), err());
        assertTrue(err().contains("No space left on device") || err().contains("no space left"), err());
    }

    /** A heap of half of what is exported is enough. */
    @Test
    void shouldNeedNoMoreMemoryForMoreRecords() throws Exception {
        fill(400_000, 500);
        assertEquals(0, process("-Xmx96m").waitFor());
        assertEquals(
                List.of("400000|200000000"), DuckFile.query(file(), "select count(*), sum(strlen(line)) from FILE"));
    }

    @Test
    void shouldLeaveNoHalfFileWhenKilled() throws Exception {
        fill(100_000, 500);
        Process export = process("-Xmx64m");
        while (export.isAlive() && folder().equals(List.of("log", "store"))) {
            Thread.onSpinWait();
        }
        export.destroyForcibly().waitFor();
        if (Files.exists(file())) {
            assertEquals(List.of("100000"), DuckFile.query(file(), "select count(*) from FILE"));
        } else {
            assertTrue(folder().stream().anyMatch(name -> name.endsWith(".part")), folder().toString());
        }
    }

    private Process process(String... flags) throws IOException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(Arrays.asList(flags));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
        command.addAll(List.of("export", "--format", "parquet", "--source", "s"));
        command.addAll(List.of("--dir", store().toString(), "--output", file().toString()));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
    }
}
