package dev.loom.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.loom.bench.push.PushKind;
import dev.loom.bench.push.PushProcess;
import dev.loom.bench.push.PushRun;
import dev.loom.bench.push.PushSettings;
import dev.loom.bench.push.ScratchDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * Pushes with each target in turn, round after round, and compares each with the limit in the same round.
 *
 * <p>Every run has its own JVM and files, discards the first lap of its ring, and reads back and checks all that it stored. The
 * first round is discarded. Every second round runs in reverse order, so that a disk that slows down affects all targets alike.
 */
public final class PushVersusLimit {
    private static final String[] DEFAULTS = {
        "dir", "target/loom-bench",
        "allow-tmpfs", "false",
        "staging", "/dev/shm",
        "payload", "8,48,64,256,1024",
        "targets", "limit,loom,loom-batch,loom-claim,raw-file,clock,disk",
        "rounds", "5",
        "bytes", "2g",
        "ring", "128m",
        "segment", "1g",
        "direct", "true",
        "json", ""
    };
    private static final double MILLION = 1e6;
    private static final double MEBI = 1 << 20;

    private final Arguments arguments;
    private final List<PushKind> kinds;
    private final ObjectMapper json = new ObjectMapper();
    private final ObjectNode report = json.createObjectNode();

    private PushVersusLimit(Arguments arguments) {
        this.arguments = arguments;
        kinds = arguments.list("targets").stream().map(PushKind::parse).toList();
    }

    /** Takes the options in {@code docs/benchmarks.md}. */
    public static void main(String[] arguments) throws IOException {
        new PushVersusLimit(Arguments.parse(arguments, DEFAULTS)).run();
    }

    private void run() throws IOException {
        final Path parent = Path.of(arguments.text("dir"));
        try (ScratchDirectory directory = ScratchDirectory.onDisk(parent, arguments.flag("allow-tmpfs"));
                ScratchDirectory staging = ScratchDirectory.in(Path.of(arguments.text("staging")))) {
            report.put("command", "PushVersusLimit " + arguments);
            System.out.println(report.get("command").asText());
            Machine.describe(parent).forEach((name, value) -> {
                System.out.println(name + ": " + value);
                report.put(name, value);
            });
            for (final String payload : arguments.list("payload")) {
                final PushSettings settings = new PushSettings(
                        directory.path(),
                        staging.path(),
                        Integer.parseInt(payload),
                        (int) arguments.bytes("ring"),
                        arguments.bytes("segment"),
                        arguments.flag("direct"));
                print(settings, measure(settings));
            }
        }
        if (!arguments.text("json").isEmpty()) {
            json.writerWithDefaultPrettyPrinter()
                    .writeValue(Path.of(arguments.text("json")).toFile(), report);
        }
    }

    /** The rounds after the first, each with its runs in the order of {@link #kinds}. */
    private List<List<PushRun>> measure(PushSettings settings) {
        final long records = arguments.bytes("bytes") / settings.recordLength();
        final List<List<PushRun>> rounds = new ArrayList<>();
        for (int round = 0; round <= arguments.number("rounds"); round++) {
            final List<PushKind> order = new ArrayList<>(kinds);
            if (round % 2 == 1) {
                Collections.reverse(order);
            }
            final List<PushRun> runs = new ArrayList<>();
            for (final PushKind kind : order) {
                runs.add(PushProcess.run(kind, settings, records));
            }
            runs.sort(Comparator.comparingInt(run -> kinds.indexOf(PushKind.parse(run.target()))));
            if (round > 0) {
                rounds.add(runs);
            }
        }
        return rounds;
    }

    private void print(PushSettings settings, List<List<PushRun>> rounds) {
        System.out.printf("%npayload %d bytes%n", settings.payloadLength());
        print(
                "target",
                "M records/s",
                "payload MiB/s",
                "CPU ns/record",
                "of the writer",
                "of the limit",
                "others' cores",
                "B/record");
        for (int i = 0; i < kinds.size(); i++) {
            final int column = i;
            final List<PushRun> runs =
                    rounds.stream().map(round -> round.get(column)).toList();
            final Spread rate = spread(runs, PushRun::recordsPerSecond);
            final Spread cpu = spread(runs, PushRun::cpuNsPerRecord);
            final Spread writer = spread(runs, PushRun::writerCpuNsPerRecord);
            final Spread others = spread(runs, PushRun::othersCores);
            final Spread allocated = spread(runs, run -> (double) run.allocatedBytes() / run.records());
            final String ofLimit = ratios(rounds, column);
            print(
                    kinds.get(i).text(),
                    new Spread(rate.median() / MILLION, rate.min() / MILLION, rate.max() / MILLION).text(2),
                    String.format(Locale.ROOT, "%.0f", rate.median() * settings.payloadLength() / MEBI),
                    cpu.text(1),
                    writer.text(1),
                    ofLimit,
                    String.format(Locale.ROOT, "%.2f", others.median()),
                    String.format(Locale.ROOT, "%.4f", allocated.median()));
            record(settings, kinds.get(i), runs, ofLimit);
        }
    }

    private String ratios(List<List<PushRun>> rounds, int column) {
        final int limit = kinds.indexOf(PushKind.LIMIT);
        if (limit < 0) {
            return "-";
        }
        return Spread.of(rounds.stream()
                        .mapToDouble(round -> round.get(column).recordsPerSecond()
                                / round.get(limit).recordsPerSecond())
                        .toArray())
                .text(3);
    }

    private void record(PushSettings settings, PushKind kind, List<PushRun> runs, String ofLimit) {
        final ObjectNode result = report.withArray("results").addObject();
        result.put("target", kind.text());
        result.put("payload", settings.payloadLength());
        result.put("ofLimit", ofLimit);
        for (final PushRun run : runs) {
            final ObjectNode node = result.withArray("runs").addObject();
            node.put("records", run.records());
            node.put("elapsedNs", run.elapsedNs());
            node.put("cpuNs", run.cpuNs());
            node.put("writerCpuNs", run.writerCpuNs());
            node.put("othersCpuNs", run.othersCpuNs());
            node.put("allocatedBytes", run.allocatedBytes());
        }
    }

    private static Spread spread(List<PushRun> runs, ToDoubleFunction<PushRun> figure) {
        return Spread.of(runs.stream().mapToDouble(figure).toArray());
    }

    private static void print(String target, String... columns) {
        final StringBuilder line = new StringBuilder(String.format("%-17s", target));
        Stream.of(columns).forEach(column -> line.append(String.format(" %20s", column)));
        System.out.println(line.toString().stripTrailing());
    }
}
