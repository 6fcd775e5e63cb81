package dev.loom.cli.importing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.cli.Cli;
import dev.loom.format.Field;
import dev.loom.format.Formats;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code -o csv} writes, {@code import} reads back as it was. */
class CsvRoundTripTest {
    private static final int ROWS = 3_000;

    private static final List<Field.Type> TYPES =
            Arrays.stream(Field.Type.values()).filter(Field.Type::isForStructs).toList();

    private static final StructFormat FORMAT = Formats.struct(""
            + IntStream.range(0, TYPES.size())
                    .mapToObj(i -> "f" + i + ":" + TYPES.get(i).text() + "?")
                    .collect(Collectors.joining(",")));

    private static final String[] PIECES = {
        "",
        "a",
        " ",
        ",",
        "\"",
        "'",
        "\n",
        "\r",
        "\r\n",
        "\t",
        "\0",
        "\u001b[2J",
        "=",
        "+1",
        "-",
        "@",
        "é",
        "𝄞",
        "\u2028",
        "\ufeff",
        "NULL",
        "\\N",
        ";",
        "x".repeat(300)
    };

    @TempDir
    Path directory;

    private Cli cli = new Cli();

    @BeforeEach
    void open() {
        cli = Cli.on(directory.resolve("store"));
    }

    @Test
    void shouldReadBackWhatIsWritten() {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("CsvRoundTripTest: -Dloom.test.seed=" + seed);
        Random random = new Random(seed);
        try (Loom loom = Loom.open(LoomConfig.at(directory.resolve("store")).build())) {
            int source = loom.defineSource("a", FORMAT);
            UnsafeBuffer buffer = new UnsafeBuffer(new byte[64 << 10]);
            StructWriter writer = new StructWriter(FORMAT);
            for (int i = 0; i < ROWS; i++) {
                writer.begin(buffer, 0);
                FORMAT.fields().forEach(field -> set(writer, field, random));
                loom.push(source, buffer, 0, writer.finish());
            }
        }
        copy("a", "b");
        assertEquals(fields("a"), fields("b"), () -> "seed=" + seed);
    }

    private static void set(StructWriter writer, Field field, Random random) {
        int index = FORMAT.fieldIndex(field.name());
        if (random.nextInt(5) == 0) {
            return;
        }
        switch (field.type()) {
            case I8, I16, I32, I64 -> writer.setLong(index, signed(field.type().fixedLength() * 8, random));
            case U8, U16, U32 ->
                writer.setLong(index, signed(64, random) >>> (64 - field.type().fixedLength() * 8));
            case U64 -> writer.setUnsigned(index, signed(64, random));
            case F32 -> writer.setDouble(index, Float.intBitsToFloat((int) signed(32, random)));
            case F64 -> writer.setDouble(index, Double.longBitsToDouble(signed(64, random)));
            case BOOL -> writer.setBoolean(index, random.nextBoolean());
            case UTF8 -> writer.setUtf8(index, text(random));
            case BYTES -> {
                byte[] bytes = new byte[random.nextInt(20)];
                random.nextBytes(bytes);
                writer.setBytes(index, new UnsafeBuffer(bytes), 0, bytes.length);
            }
            case ANY, JSON -> throw new AssertionError(field);
        }
    }

    private static long signed(int bits, Random random) {
        long ones = -1L >>> (64 - bits);
        return switch (random.nextInt(6)) {
            case 0 -> 0;
            case 1 -> -1;
            case 2 -> ones >>> 1;
            case 3 -> -(ones >>> 1) - 1;
            default -> random.nextLong() >> (64 - bits) >> random.nextInt(bits);
        };
    }

    private static String text(Random random) {
        return random.ints(random.nextInt(4), 0, PIECES.length)
                .mapToObj(i -> PIECES[i])
                .collect(Collectors.joining());
    }

    private void copy(String from, String to) {
        String csv = cli.run("scan", from, "--asc", "-o", "csv").ok().out();
        String types = "time:utf8,ts:i64,source:utf8,addr:i64,"
                + FORMAT.fields().stream()
                        .map(field -> field.name() + ":" + field.type().text())
                        .collect(Collectors.joining(","));
        cli.input(new ByteArrayInputStream(csv.getBytes(StandardCharsets.UTF_8)))
                .run("import", "--source", to, "--format", "csv", "--types", types, "-")
                .ok();
    }

    private List<String> fields(String source) {
        return cli.run("scan", source, "--asc", "-o", "json").ok().lines().stream()
                .map(line -> line.substring(line.indexOf("\"f0\":")))
                .toList();
    }

    @Test
    void shouldTellAnEmptyTextFromNone() {
        cli.importText("s", "csv", "n,t,d\n1,,\n2,\"\",\"\"\n\"\",x,AA==\n", "--types", "n:i64,t:utf8,d:bytes")
                .ok();
        assertEquals(
                List.of(
                        "{\"n\":1,\"t\":null,\"d\":null}",
                        "{\"n\":2,\"t\":\"\",\"d\":\"\"}",
                        "{\"n\":null,\"t\":\"x\",\"d\":\"AA==\"}"),
                cli.run("scan", "s", "--asc", "-o", "json").ok().lines().stream()
                        .map(line -> line.substring(line.indexOf("\"fields\":") + 9, line.length() - 1))
                        .toList());
        List<String> csv = cli.run("scan", "s", "--asc", "-o", "csv").ok().lines();
        assertEquals(
                List.of("1,,", "2,\"\",\"\"", ",x,AA=="),
                csv.stream()
                        .skip(1)
                        .map(line -> line.replaceFirst("^[^,]*,[^,]*,[^,]*,[^,]*,", ""))
                        .toList());
    }

    @Test
    void shouldGuardAgainstFormulasWhenAskedTo() {
        cli.importText("s", "csv", "n,t\n-1,=1+1\n").ok();
        assertEquals(
                "-1,=1+1", last(cli.run("scan", "s", "-o", "csv").ok().lines().get(1)));
        assertEquals(
                "-1,'=1+1",
                last(cli.run("scan", "s", "-o", "csv-safe").ok().lines().get(1)));
    }

    private static String last(String line) {
        return line.substring(line.lastIndexOf("-1,"));
    }
}
