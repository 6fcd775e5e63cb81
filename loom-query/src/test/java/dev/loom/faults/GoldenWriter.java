package dev.loom.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.StorageOption;
import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.Pressure;
import dev.loom.api.PushStatus;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import dev.loom.store.MarkForger;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.agrona.ExpandableArrayBuffer;

/**
 * Makes the golden stores of a version, with what they answer: records and totals as they were pushed, compared with what the
 * store says before anything is kept. Never replaces a file.
 */
final class GoldenWriter {
    private static final long START_NS = 1_700_000_000_000_000_000L;
    private static final long SEGMENT = 256 << 10;
    private static final StructFormat REQUESTS = Formats.struct(
            "latency_ns:i64,score:f64,size:u64,code:i32,shard:u8?,key:utf8,wait_ns:i64,cost:i64,zone:u8");

    /** A record as it was pushed; {@code group} is its key in an index by keys. */
    private record Pushed(
            int source,
            long address,
            long timeNs,
            int length,
            String line,
            Map<String, BigDecimal> values,
            String group) {}

    private final Path temp;
    private final List<Pushed> pushed = new ArrayList<>();
    private final Map<Integer, Long> lost = new HashMap<>();
    private final StructWriter writer = new StructWriter(REQUESTS);
    private long now = START_NS;
    private int records;

    private GoldenWriter(Path temp) {
        this.temp = temp;
    }

    /**
     * Writes {@code VERSION-closed}, {@code -retained} and {@code -unclosed} to a directory; for a version of stores that may
     * be compressed, {@code VERSION-compressed}.
     */
    static void write(Path temp, Path golden, String version) throws IOException {
        Files.createDirectories(golden);
        if (!version.startsWith("1.")) {
            new GoldenWriter(temp.resolve("compressed")).writeCompressed(golden.resolve(version + "-compressed"));
            return;
        }
        new GoldenWriter(temp.resolve("closed")).writeClosed(golden.resolve(version + "-closed"));
        new GoldenWriter(temp.resolve("retained")).writeRetained(golden.resolve(version + "-retained"));
        new GoldenWriter(temp.resolve("unclosed")).writeUnclosed(golden.resolve(version + "-unclosed"));
    }

    static LoomConfig.Builder config(Path store) {
        return PushingProcess.config(store).segmentBytes(SEGMENT).indexFunction(GoldenAnswers.LENGTH);
    }

    private LoomConfig.Builder config() {
        return config(temp).clock(() -> now).maxBytes(LoomConfig.UNLIMITED).minFreeBytes(0);
    }

    private void writeClosed(Path to) throws IOException {
        FaultyStorage storage = new FaultyStorage();
        try (Loom loom = Loom.open(StorageOption.with(config(), storage)
                .pressure(Pressure.DROP_NEWEST)
                .build())) {
            define(loom);
            pushAll(loom, 600);
            storage.fail(FaultyStorage.Call.WRITE, 1, true);
            while (lost.isEmpty()) {
                push(loom, 5, bytes(2_000), Map.of("length", BigDecimal.valueOf(2_000)));
            }
            storage.heal();
            loom.force();
            loom.closeSource(loom.source("closed").orElseThrow().id());
            loom.closeIndex(loom.indexes().stream()
                    .filter(index -> index.name().equals("of-closed"))
                    .findFirst()
                    .orElseThrow()
                    .id());
        }
        try (Loom loom = Loom.open(config().build())) {
            assertEquals(7, loom.defineSource("closed", Formats.text()));
            pushAll(loom, 300);
            push(loom, 7, text("of the second source of this name"), Map.of());
        }
        keep(temp, to, 0);
    }

    private void writeCompressed(Path to) throws IOException {
        try (Loom loom = Loom.open(
                config().compressAfter(Duration.ZERO).compressionShare(1).build())) {
            define(loom);
            while (loom.info().records().tail() < 3 * SEGMENT) {
                pushAll(loom, 300);
            }
            loom.force();
            // all but the last two
            Path last = temp.resolve("record")
                    .resolve("%020d.seg".formatted(loom.info().records().tail() / SEGMENT * SEGMENT - 2 * SEGMENT));
            while (Files.size(last) == SEGMENT) {
                Thread.onSpinWait();
            }
        }
        keep(temp, to, 0);
    }

    private void writeRetained(Path to) throws IOException {
        try (Loom loom = Loom.open(config().maxAge(Duration.ofHours(1)).build())) {
            define(loom);
            pushAll(loom, 2_500);
            now += Duration.ofHours(2).toNanos();
            while (loom.info().records().begin() == 0) {
                pushAll(loom, 50);
                loom.force();
            }
        }
        long begin;
        try (LoomReader reader = LoomReader.attach(temp)) {
            begin = reader.info().records().begin();
        }
        keep(temp, to, begin);
    }

    /** The files as they lie on the disk after a power cut, with a copy of the page that was open. */
    private void writeUnclosed(Path to) throws IOException {
        Path files = temp.resolveSibling("files");
        try (Loom loom = Loom.open(config().build())) {
            define(loom);
            pushAll(loom, 400);
            loom.force();
            pushAll(loom, 30);
            while (loom.info().records().durable() < loom.info().records().tail()) {
                Thread.onSpinWait();
            }
            copy(temp, files);
        }
        MarkForger.ofEarlierBoot(files);
        keep(files, to, 0);
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.walkFileTree(from, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes any) throws IOException {
                Files.createDirectories(to.resolve(from.relativize(directory)));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes any) throws IOException {
                Files.copy(file, to.resolve(from.relativize(file)), StandardCopyOption.REPLACE_EXISTING);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    private static void define(Loom loom) {
        PayloadFormat timed = Formats.parse("timed:struct:code:i64");
        assertEquals(1, loom.defineSource("requests", REQUESTS, Map.of("host", "a", "unit", "ns")));
        assertEquals(2, loom.defineSource("events", timed));
        assertEquals(3, loom.defineSource("app", Formats.text()));
        assertEquals(4, loom.defineSource("docs", Formats.json()));
        assertEquals(5, loom.defineSource("raw", Formats.bytes()));
        assertEquals(6, loom.defineSource("closed", Formats.bytes()));
        loom.defineIndex(1, "latency_ns", IndexFunction.field(REQUESTS, "latency_ns"), Bins.logLinear());
        loom.defineIndex(1, "score", IndexFunction.field(REQUESTS, "score"), Bins.logLinear(1));
        loom.defineIndex(1, "size", IndexFunction.field(REQUESTS, "size"), Bins.edges(100, 10_000, 1_000_000));
        loom.defineIndex(1, "code", IndexFunction.field(REQUESTS, "code"), Bins.linear(-100, 600, 7));
        loom.defineIndex(1, "shard", IndexFunction.field(REQUESTS, "shard"), Bins.match(3));
        loom.defineIndex(
                1,
                "wait_ns",
                IndexFunction.field(REQUESTS, "wait_ns"),
                Bins.logLinear().withValues());
        loom.defineIndex(1, "cost", IndexFunction.field(REQUESTS, "cost"), Bins.logLinear(), List.of("key", "zone"));
        loom.defineEventTimeIndex(2, "event-time", IndexFunction.field(timed, "event_time"));
        loom.defineIndex(4, "n", IndexFunction.field(Formats.json(), "n"), Bins.logLinear());
        loom.defineIndex(5, "length", GoldenAnswers.LENGTH, Bins.logLinear());
        loom.defineIndex(6, "of-closed", GoldenAnswers.LENGTH, Bins.logLinear());
    }

    private void push(Loom loom, int source, byte[] payload, Map<String, BigDecimal> values) {
        push(loom, source, payload, values, "");
    }

    private void push(Loom loom, int source, byte[] payload, Map<String, BigDecimal> values, String group) {
        now += records++ % 3 * 1_000L;
        long address = loom.push(source, payload);
        if (address < 0) {
            assertEquals(PushStatus.DROPPED, address);
            lost.merge(source, 1L, Long::sum);
        } else {
            String line = GoldenAnswers.record(address, now, payload);
            pushed.add(new Pushed(source, address, now, payload.length, line, values, group));
        }
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private byte[] bytes(int length) {
        byte[] payload = new byte[length];
        for (int i = 0; i < length; i++) {
            payload[i] = (byte) (records + (i >>> 8));
        }
        return payload;
    }

    /** Records of all sources, the next one of each kind in turn; one of them over several pages. */
    private void pushAll(Loom loom, int count) {
        for (int i = 0; i < count; i++) {
            int n = records;
            switch (i % 8) {
                case 0 -> push(loom, 2, event(n), Map.of("event-time", BigDecimal.valueOf(START_NS - n)));
                case 1 -> push(loom, 3, text("line " + n + ": größer"), Map.of());
                case 2 ->
                    push(loom, 4, text("{\"n\":" + n + ".5,\"s\":[\"x\"]}"), Map.of("n", new BigDecimal(n + ".5")));
                case 3 -> {
                    int length = i == 211 ? 100_000 : n * 7 % 500;
                    push(loom, 5, bytes(length), Map.of("length", BigDecimal.valueOf(length)));
                }
                case 4 -> {
                    if (!loom.source("closed").orElseThrow().format().text().equals("text")) {
                        push(loom, 6, bytes(30), Map.of("of-closed", BigDecimal.valueOf(30)));
                    }
                }
                default -> pushRequest(loom, n);
            }
        }
    }

    private static byte[] event(int n) {
        return ByteBuffer.allocate(16)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(START_NS - n)
                .putLong(n)
                .array();
    }

    private void pushRequest(Loom loom, int n) {
        long latency = n % 100 == 0 ? Long.MAX_VALUE - n : n % 90 == 0 ? -n : 40_000 + n % 977;
        double score = (n % 200 - 60) * 0.25;
        long size = n % 50 == 0 ? -1L - n : (long) n * n;
        ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
        writer.begin(buffer, 0);
        writer.setLong(0, latency);
        writer.setDouble(1, score);
        writer.setUnsigned(2, size);
        writer.setLong(3, n % 600 - 50);
        Map<String, BigDecimal> values = new HashMap<>(Map.of(
                "latency_ns", BigDecimal.valueOf(latency),
                "score", BigDecimal.valueOf(score),
                "size", new BigDecimal(Long.toUnsignedString(size)),
                "code", BigDecimal.valueOf(n % 600 - 50)));
        if (n % 4 > 0) {
            writer.setLong(4, n % 11);
            values.put("shard", BigDecimal.valueOf(n % 11));
        }
        writer.setUtf8(5, "key-" + n % 13);
        writer.setLong(6, n * 37L % 1_000);
        writer.setLong(7, 1_000 - n % 251);
        writer.setLong(8, n % 3);
        values.put("wait_ns", BigDecimal.valueOf(n * 37L % 1_000));
        values.put("cost", BigDecimal.valueOf(1_000 - n % 251));
        byte[] payload = new byte[writer.finish()];
        buffer.getBytes(0, payload);
        push(loom, 1, payload, values, "key-" + n % 13 + " " + n % 3);
    }

    /** What the store must say, without the bins. */
    private List<String> expected(Store store, long begin) {
        List<String> lines = new ArrayList<>(List.of("begin " + begin));
        for (Source source : store.sources()) {
            List<Pushed> all = pushed.stream()
                    .filter(record -> record.source == source.id())
                    .toList();
            List<Pushed> kept =
                    all.stream().filter(record -> record.address >= begin).toList();
            lines.add(GoldenAnswers.source(source));
            lines.add(GoldenAnswers.statistics(
                    source.id(),
                    new Source.Statistics(
                            kept.size(),
                            bytes(kept),
                            kept.isEmpty() ? 0 : kept.get(0).timeNs,
                            kept.isEmpty() ? 0 : kept.get(kept.size() - 1).timeNs,
                            lost.getOrDefault(source.id(), 0L),
                            all.size() - kept.size(),
                            bytes(all) - bytes(kept))));
            kept.forEach(record -> lines.add(record.line));
            for (Index index : store.indexes()) {
                if (index.sourceId() == source.id()) {
                    lines.addAll(aggregates(index, begin));
                }
            }
        }
        return lines;
    }

    private List<String> aggregates(Index index, long begin) {
        if (index.key() == null) {
            return List.of(GoldenAnswers.aggregate("aggregate " + index.id(), values(index, begin)));
        }
        Map<String, List<BigDecimal>> groups = new TreeMap<>();
        indexed(index, begin)
                .forEach(record -> groups.computeIfAbsent(record.group, group -> new ArrayList<>())
                        .add(Objects.requireNonNull(record.values.get(index.name()))));
        return groups.entrySet().stream()
                .map(group -> GoldenAnswers.aggregate("group " + index.id() + " " + group.getKey(), group.getValue()))
                .toList();
    }

    private List<BigDecimal> values(Index index, long begin) {
        return indexed(index, begin)
                .map(record -> Objects.requireNonNull(record.values.get(index.name())))
                .toList();
    }

    /** The records that have a value in an index. */
    private Stream<Pushed> indexed(Index index, long begin) {
        return pushed.stream()
                .filter(record -> record.source == index.sourceId()
                        && record.address >= begin
                        && record.values.containsKey(index.name()));
    }

    private static long bytes(List<Pushed> records) {
        return records.stream().mapToLong(record -> record.length).sum();
    }

    private void keep(Path store, Path to, long begin) throws IOException {
        List<String> answers;
        try (LoomReader reader = LoomReader.attach(store)) {
            answers = GoldenAnswers.of(reader);
            assertEquals(
                    expected(reader, begin).stream().collect(Collectors.joining("\n")),
                    answers.stream()
                            .filter(line -> !line.startsWith("bin ") && !line.startsWith("index "))
                            .collect(Collectors.joining("\n")));
            for (Index index : reader.indexes()) {
                if (GoldenAnswers.hasBins(index)) {
                    GoldenAnswers.requireBins(answers, index.id(), values(index, begin));
                }
            }
        }
        Path zip = to.resolveSibling(to.getFileName() + ".zip");
        assertTrue(!Files.exists(zip), () -> "golden stores stay as they are: file=" + zip);
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip));
                Stream<Path> files = Files.walk(store)) {
            out.setLevel(9);
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                out.putNextEntry(new ZipEntry(store.relativize(file).toString()));
                out.write(Files.readAllBytes(file));
            }
            out.putNextEntry(new ZipEntry(GoldenAnswersTest.ANSWERS));
            out.write(String.join("\n", answers).getBytes(StandardCharsets.UTF_8));
        }
    }
}
