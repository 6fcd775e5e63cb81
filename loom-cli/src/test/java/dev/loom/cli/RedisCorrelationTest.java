package dev.loom.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The way from the slowest requests to the system calls and packets around them, by commands, against the answer of a script
 * that reads the files of the capture alone: {@code docs/examples/redis/correlate.py}. With {@code -Dloom.data=DIR} of a
 * whole capture, which needs {@code python3}; else of a slice, whose slowest percent is asked for, and whose answer is kept.
 */
class RedisCorrelationTest {
    private static final boolean WHOLE = System.getProperty("loom.data") != null;
    private static final String PERCENTILE = WHOLE ? "99.99" : "99";

    @TempDir
    static Path directory;

    private static Cli cli = new Cli();
    private static List<String> expected = List.of();

    @BeforeAll
    static void importAllAndAskTheScript() throws IOException, InterruptedException {
        cli = Cli.onSmallStore(directory.resolve("store"));
        for (String source : RedisOracle.SOURCES) {
            RedisOracle oracle = RedisOracle.of(source);
            if (!source.equals("packets")) {
                String fields = source.equals("requests")
                        ? "ts_ns:i64?,op:utf8?,key:utf8?,latency_ns:i64?"
                        : "ts_ns:i64?,tid:i64?,syscall:i64?,latency_ns:i64?,ret:i64?";
                importEmpty(source, fields.replace("?", ""));
                cli.run("index", "add", source, "latency_ns").ok();
            }
            List<String> arguments = oracle.importArguments();
            arguments.add(RedisCapture.file(oracle.fileName()).toString());
            cli.run(arguments.toArray(String[]::new)).ok();
        }
        expected = WHOLE ? answerOfScript() : Files.readAllLines(RedisCapture.slice("correlate-99.txt"));
    }

    private static List<String> answerOfScript() throws IOException, InterruptedException {
        Path script = Path.of("../docs/examples/redis/correlate.py");
        Path capture = RedisCapture.file("clock.json").getParent();
        Process python = new ProcessBuilder("python3", "-B", script.toString(), capture.toString(), PERCENTILE)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<String> answer = new String(python.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        assertEquals(0, python.waitFor());
        return answer;
    }

    /** Defines the source with its event time by an import without rows. */
    private static void importEmpty(String source, String fields) {
        String header = String.join(
                ",",
                Stream.of(fields.split(",", -1))
                        .map(field -> field.split(":", -1)[0])
                        .toList());
        cli.importText(
                        source,
                        "csv",
                        header + "\n",
                        "--types",
                        fields,
                        "--event-time",
                        "ts_ns",
                        "--clock-pair",
                        RedisCapture.file("clock.json").toString())
                .ok();
    }

    private static List<String> script(String kind) {
        return expected.stream()
                .filter(line -> line.startsWith(kind + ' '))
                .sorted()
                .toList();
    }

    private static String value(String line, String name) {
        Matcher matcher = Pattern.compile('"' + name + "\":\"?([^,\"}]*)").matcher(line);
        assertTrue(matcher.find(), line);
        return matcher.group(1);
    }

    private static List<String> ask(String... arguments) {
        return cli.run(arguments).ok().lines();
    }

    private static String threshold() {
        return expected.get(0).substring("percentile ".length());
    }

    /** The slow requests, with their addresses. */
    private static Map<String, String> causes() {
        Map<String, String> endsByAddress = new HashMap<>();
        for (String line : ask("scan", "requests", "--time", "event", "--where", "latency_ns > " + threshold())) {
            endsByAddress.put(value(line, "addr"), value(line, "ts"));
        }
        return endsByAddress;
    }

    @Test
    void shouldFindThePercentile() {
        String line =
                ask("agg", "requests", "latency_ns", "--percentile", PERCENTILE).get(0);
        assertEquals(threshold(), value(line, PERCENTILE));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "time", "chunk", "time,chunk"})
    void shouldFindTheSlowRequests(String disabled) {
        List<String> found = new ArrayList<>();
        for (String line :
                ask(with(disabled, "scan", "requests", "--time", "event", "--where", "latency_ns > " + threshold()))) {
            found.add(String.join(
                    " ",
                    "request",
                    value(line, "ts"),
                    value(line, "latency_ns"),
                    value(line, "op"),
                    value(line, "key")));
        }
        found.sort(null);
        assertEquals(script("request"), found);
        assertEquals(6, found.size());
        List<String> top = ask(with(disabled, "top", "requests", "latency_ns", "-n", "6", "--time", "event"));
        assertEquals(
                found.stream().map(line -> line.split(" ", -1)[2]).sorted().toList(),
                top.stream().map(line -> value(line, "latency_ns")).sorted().toList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "time", "chunk", "time,chunk"})
    void shouldFindTheSystemCallsDuringThem(String disabled) {
        Map<String, String> causes = causes();
        List<String> found = new ArrayList<>();
        for (String line : ask(with(
                disabled,
                "correlate",
                "requests",
                "latency_ns",
                "--above",
                "p" + PERCENTILE,
                "--with",
                "syscalls",
                "--overlap",
                "latency_ns,latency_ns",
                "--time",
                "event"))) {
            found.add(String.join(
                    " ",
                    "syscall",
                    value(line, "ts"),
                    value(line, "latency_ns"),
                    value(line, "syscall"),
                    value(line, "ret"),
                    "cause",
                    causes.get(value(line, "cause"))));
        }
        found.sort(null);
        assertEquals(script("syscall"), found);
        assertTrue(found.size() > 6);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "time", "chunk", "time,chunk"})
    void shouldFindThePacketsAroundThem(String disabled) {
        Map<String, String> causes = causes();
        List<String> found = new ArrayList<>();
        for (String line : ask(with(
                disabled,
                "correlate",
                "requests",
                "latency_ns",
                "--above",
                threshold(),
                "--with",
                "packets",
                "--within",
                "5ms",
                "--time",
                "event"))) {
            byte[] data = Base64.getDecoder().decode(value(line, "data"));
            CRC32 crc = new CRC32();
            crc.update(data);
            found.add(String.join(
                    " ",
                    "packet",
                    value(line, "ts"),
                    "" + data.length,
                    "" + crc.getValue(),
                    "cause",
                    causes.get(value(line, "cause"))));
        }
        found.sort(null);
        assertEquals(script("packet"), found);
        assertTrue(found.size() > 100);
    }

    private static String[] with(String disabled, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        if (!disabled.isEmpty()) {
            all.addAll(List.of("--disable-index", disabled));
        }
        return all.toArray(String[]::new);
    }
}
