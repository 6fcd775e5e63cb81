package dev.loom.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.Snapshot;
import dev.loom.api.TextIndexParameters;
import dev.loom.format.Formats;
import dev.loom.format.IndexedText;
import dev.loom.format.PayloadFormat;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import dev.loom.query.model.Order;
import dev.loom.query.model.QueryIndex;
import dev.loom.query.text.TextQuery;
import dev.loom.query.where.Where;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Searches with the text index against scans that read every record: any records, any expression, whatever part is indexed, and
 * whatever happens to the index's files. Words are frequent and rare, and change over time.
 */
final class TextIndexTest {
    private static final long SEED = Long.getLong("loom.test.seed", System.nanoTime());
    private static final int RECORDS = Integer.getInteger("loom.text.records", 6_000);
    private static final int QUERIES = Integer.getInteger("loom.text.queries", 40);

    private static final List<PayloadFormat> FORMATS = List.of(
            Formats.text(),
            Formats.json(),
            Formats.timed(Formats.text()),
            Formats.timed(Formats.json()),
            Formats.bytes(),
            Formats.struct("id:utf8,n:i64,body:utf8?,tag:utf8?"));

    private static final String STRUCT_TEXT = "id:value,body:words,tag:words,tag:value,n:value";

    @TempDir
    Path temp;

    private final Random random = new Random(SEED);
    private final List<String> words = new ArrayList<>();
    private final List<Integer> sources = new ArrayList<>();
    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[1 << 20]);
    /** Words that records of each source have. */
    private final List<List<String>> used = new ArrayList<>();

    /** The number of the source whose record or query is being made. */
    private int current;

    private long nowNs = 1_000;
    private long skipped;
    private long runsSkipped;

    @BeforeEach
    void sayTheSeed() {
        System.out.println("TextIndexTest: -Dloom.test.seed=" + SEED);
        for (int i = 0; i < 60; i++) {
            words.add(word());
        }
        FORMATS.forEach(format -> used.add(new ArrayList<>()));
    }

    private String word() {
        return switch (random.nextInt(9)) {
            case 0 -> "Größe" + random.nextInt(9);
            case 1 -> "e\u0301te\u0301" + random.nextInt(5);
            case 2 -> "数据" + (char) ('一' + random.nextInt(50));
            case 3 -> "ΣΑΣ" + random.nextInt(5);
            case 4 -> Integer.toString(random.nextInt(2_000));
            case 5 -> Long.toHexString(random.nextLong());
            case 6 -> "a".repeat(1 + random.nextInt(600));
            case 7 -> "한글" + random.nextInt(3);
            default ->
                random.ints(1 + random.nextInt(14), 'a', 'z' + 1)
                        .mapToObj(c -> Character.toString((char) (random.nextInt(5) == 0 ? c - 32 : c)))
                        .collect(Collectors.joining());
        };
    }

    /** The default ones as often as any others, which units of earlier openings do not have. */
    private TextIndexParameters parameters() {
        return random.nextBoolean()
                ? TextIndexParameters.DEFAULT
                : new TextIndexParameters(
                        1_024 + random.nextInt(60_000),
                        1 + random.nextInt(64),
                        1 + random.nextInt(64),
                        1 + random.nextInt(32),
                        random.nextInt(17));
    }

    private Loom open(boolean indexing) {
        return Loom.open(LoomConfig.at(temp.resolve("store"))
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .textIndexShare(indexing ? 1 : 0)
                .textIndexRows(random.nextInt(4) > 0)
                .textIndexParameters(parameters())
                .textIndexMemory(2 << 20) // room for one source, so they take turns
                .clock(() -> nowNs)
                .build());
    }

    private void define(Loom loom) {
        for (int i = 0; i < FORMATS.size(); i++) {
            PayloadFormat format = FORMATS.get(i);
            Map<String, String> attributes = switch (format.name()) {
                case "struct" -> Map.of(IndexedText.ATTRIBUTE, STRUCT_TEXT);
                case "bytes" -> Map.of(IndexedText.ATTRIBUTE, "bytes:words,bytes:value");
                default -> Map.of();
            };
            sources.add(loom.defineSource("s" + i, format, attributes));
        }
    }

    private void fill(Loom loom, int records) {
        for (int i = 0; i < records; i++) {
            if (i % 500 == 0) { // the hot words change
                words.set(random.nextInt(10), word());
            }
            int number = random.nextInt(FORMATS.size());
            current = number;
            int length = Math.min(put(FORMATS.get(number)), 131_072);
            nowNs += random.nextInt(1_000);
            loom.push(sources.get(number), payload, 0, length);
        }
    }

    private String text() {
        int rare = random.nextInt(400);
        if (rare == 0) {
            return "";
        } else if (rare == 1) {
            return IntStream.range(0, 3_000).mapToObj(i -> some()).collect(Collectors.joining(" "));
        }
        String[] separators = {" ", " ", ", ", "=", "-", "\t", "\n", "\"", "\\", "/", "\u3000", "\u0301 "};
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(7); i >= 0; i--) {
            text.append(some()).append(separators[random.nextInt(separators.length)]);
        }
        return text.toString();
    }

    /** A word: few are frequent, some are in no other record. */
    private String some() {
        int kind = random.nextInt(10);
        String word = kind < 2
                ? "id" + Long.toHexString(random.nextLong() & 0xFFFFFFFFFFL)
                : words.get(kind < 6 ? random.nextInt(8) : random.nextInt(words.size()));
        if (random.nextInt(20) == 0) {
            used.get(current).add(word);
        }
        return word;
    }

    private int put(PayloadFormat format) {
        if (random.nextInt(200) == 0) { // not of the format at all
            byte[] bytes = new byte[random.nextInt(60)];
            random.nextBytes(bytes);
            payload.putBytes(0, bytes);
            return bytes.length;
        }
        int offset = 0;
        String name = format.name();
        if (name.equals("timed")) {
            payload.putLong(0, nowNs);
            offset = 8;
            name = format.text().substring("timed:".length());
        }
        if (name.equals("struct")) {
            StructWriter writer = new StructWriter((StructFormat) format);
            writer.begin(payload, 0);
            writer.setUtf8(0, random.nextInt(30) == 0 ? "" : some());
            writer.setLong(1, random.nextInt(5) == 0 ? random.nextLong() : random.nextInt(2_000));
            if (random.nextBoolean()) {
                writer.setUtf8(2, text());
            }
            if (random.nextBoolean()) {
                writer.setUtf8(3, random.nextBoolean() ? some() : some() + " " + some());
            }
            return writer.finish();
        }
        String text = name.equals("json") ? json() : text();
        if (random.nextInt(100) == 0) {
            text = text.substring(0, text.length() / 2);
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        payload.putBytes(offset, bytes);
        return offset + bytes.length;
    }

    private String json() {
        String body = quote(text());
        return switch (random.nextInt(6)) {
            case 0 -> "{\"body\":" + body + ",\"n\":" + random.nextInt(100) + "}";
            case 1 -> "{ \"id\" : " + quote(some()) + " , \"body\" : {\"x\": " + body + "} }";
            case 2 -> "[" + quote(some()) + ", " + body + "]";
            case 3 -> body;
            case 4 -> "{\"id\":[" + quote(some()) + "," + quote(some()) + "],\"body\":" + body + "}";
            default -> "{\"id\":" + quote(some()) + ",\"body\":null,\"" + some().replaceAll("\\W", "") + "\":true}";
        };
    }

    private String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ' || random.nextInt(20) == 0) {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    private String anyWord() {
        return switch (random.nextInt(4)) {
            case 0 -> "absent" + random.nextInt(1_000);
            case 1 -> words.get(random.nextInt(8));
            default -> {
                List<String> known = used.get(current);
                yield known.isEmpty() ? words.get(0) : known.get(random.nextInt(known.size()));
            }
        };
    }

    private String matches() {
        String word = anyWord();
        return switch (random.nextInt(7)) {
            case 0 -> shortened(word) + "*";
            case 1 -> '"' + word + " " + anyWord() + '"';
            case 2 -> "NOT " + word;
            case 3 -> word + " " + anyWord();
            case 4 -> word + " OR " + anyWord() + " " + anyWord();
            default -> word;
        };
    }

    private String shortened(String word) {
        int count = word.codePointCount(0, word.length());
        String part = word.substring(0, word.offsetByCodePoints(0, 1 + random.nextInt(Math.min(count, 20))));
        return Character.isLetterOrDigit(part.codePointBefore(part.length())) ? part : "a";
    }

    private Where term(PayloadFormat format) {
        String text = format.text();
        List<String> fields = text.contains("json")
                ? List.of("body", "id", "n", "body.x", "1", text.startsWith("timed") ? "json" : "id")
                : text.contains("struct")
                        ? List.of("id", "n", "body", "tag")
                        : List.of(text.contains("bytes") ? "bytes" : "line");
        String field = fields.get(random.nextInt(fields.size()));
        boolean number = field.equals("n");
        try {
            return switch (number ? 5 + random.nextInt(2) : random.nextInt(9)) {
                case 0 -> Where.parse(field + " == " + literal(anyWord()));
                case 1 -> Where.parse(field + " in (" + literal(anyWord()) + ", " + literal(anyWord()) + ")");
                case 2 -> Where.parse(field + " contains " + literal(" " + anyWord() + " "));
                case 3 -> Where.parse(field + " icontains " + literal(anyWord() + " " + anyWord() + ","));
                case 8 ->
                    new Where.MatchesRegex(
                            field,
                            (random.nextBoolean() ? "(?i)" : "") + ".* " + Pattern.quote(anyWord()) + "[ ,=-]|"
                                    + anyWord() + " ?x|[^a] " + anyWord() + " .*");
                case 5 -> Where.parse("n".equals(field) ? "n == " + random.nextInt(2_000) : field + " is null");
                case 6 ->
                    Where.parse(
                            "n".equals(field)
                                    ? "n in (5, " + random.nextInt(100) + ")"
                                    : field + " != " + literal(anyWord()));
                default -> Where.parse(field + " matches " + literal(matches()));
            };
        } catch (IllegalArgumentException e) { // a word without a token, or one that is too long
            return new Where.Matches(fields.get(0), TextQuery.parse("absent"));
        }
    }

    private static String literal(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n") + "'";
    }

    private Where expression(PayloadFormat format, int depth) {
        if (depth == 0 || random.nextInt(3) == 0) {
            return term(format);
        }
        List<Where> terms = IntStream.range(0, 2 + random.nextInt(2))
                .mapToObj(i -> expression(format, depth - 1))
                .toList();
        return switch (random.nextInt(5)) {
            case 0 -> new Where.Not(terms.get(0));
            case 1, 2 -> new Where.Or(terms);
            default -> new Where.And(terms);
        };
    }

    private List<Long> addresses(Snapshot snapshot, int source, Where where, Order order, boolean indexed) {
        List<Long> found = new ArrayList<>();
        try (QueryCursor cursor = RawScan.of(snapshot, source)
                .where(where)
                .order(order)
                .use(QueryIndex.CHUNK, indexed)
                .use(QueryIndex.TEXT, indexed)
                .open()) {
            while (cursor.next()) {
                found.add(cursor.address());
            }
            skipped += cursor.statistics().pagesSkippedByTokens();
            runsSkipped += cursor.statistics().runs();
        }
        return found;
    }

    private static void finish(Loom loom) {
        boolean finished = loom.finishTextIndex((done, total) -> true);
        assertTrue(
                finished,
                () -> loom.info().writer().orElseThrow().textIndexFailure().orElse("no failure"));
    }

    private void compare(Snapshot snapshot, int queries) {
        for (int i = 0; i < queries; i++) {
            int number = random.nextInt(sources.size());
            current = number;
            Where where = expression(FORMATS.get(number), 2);
            Order order = random.nextBoolean() ? Order.NEWEST_FIRST : Order.OLDEST_FIRST;
            int source = sources.get(number);
            List<Long> expected = addresses(snapshot, source, where, order, false);
            assertEquals(
                    expected,
                    addresses(snapshot, source, where, order, true),
                    () -> "seed=" + SEED + ", format=" + FORMATS.get(number) + ", where=" + where);
        }
    }

    @Test
    void shouldFindWhatAScanFinds() {
        for (int phase = 0; phase < 4; phase++) {
            try (Loom loom = open(phase != 2)) {
                if (sources.isEmpty()) {
                    define(loom);
                }
                for (int part = 0; part < 3; part++) {
                    fill(loom, RECORDS / 12);
                    if (phase != 2 && random.nextInt(3) > 0) {
                        finish(loom);
                        assertTrue(loom.finishRollups((done, total) -> true));
                    }
                    try (Snapshot snapshot = loom.snapshot()) {
                        compare(snapshot, QUERIES / 12);
                    }
                }
            }
            try (LoomReader reader = LoomReader.attach(temp.resolve("store"));
                    Snapshot snapshot = reader.snapshot()) {
                compare(snapshot, QUERIES / 12);
            }
        }
        assertTrue(skipped > 0, "the index was of no use");
        assertTrue(runsSkipped > 0, "no run of chunks was passed over at once");
    }

    /** Writes the store of a directory, and ends units, until it is killed; says how often. */
    public static void main(String[] arguments) {
        TextIndexTest test = new TextIndexTest();
        test.temp = Path.of(arguments[0]);
        test.sayTheSeed();
        try (Loom loom = test.open(true)) {
            if (loom.sources().isEmpty()) {
                test.define(loom);
            } else {
                loom.sources().forEach(source -> test.sources.add(source.id()));
            }
            for (int i = 0; ; i++) {
                test.fill(loom, 200);
                finish(loom);
                System.out.println("units=" + i);
            }
        }
    }

    @Test
    void shouldFindWhatAScanFindsWhenTheWriterWasKilled() throws Exception {
        for (int round = 0; round < 3; round++) {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-XX:TieredStopAtLevel=1",
                            "-Xmx256m",
                            "-Dloom.test.seed=" + (SEED + round),
                            "-cp",
                            System.getProperty("java.class.path"),
                            TextIndexTest.class.getName(),
                            temp.toString())
                    .redirectError(Redirect.INHERIT)
                    .start();
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                for (int i = 1 + random.nextInt(20); i > 0; ) {
                    String line = lines.readLine();
                    assertNotNull(line, "the writer has ended");
                    i -= line.startsWith("units=") ? 1 : 0; // the seed comes before there is a store
                }
            } finally {
                process.destroyForcibly().waitFor();
            }
            try (LoomReader reader = LoomReader.attach(temp.resolve("store"));
                    Snapshot snapshot = reader.snapshot()) {
                sources.clear();
                snapshot.sources().forEach(source -> sources.add(source.id()));
                compare(snapshot, QUERIES / 6);
                Where absent = Where.parse("line matches 'neverwritten'");
                assertEquals(List.of(), addresses(snapshot, sources.get(0), absent, Order.NEWEST_FIRST, true));
            }
        }
        open(false).close(); // removes the killed one's staging
        assertTrue(skipped > 0, "the index was of no use");
    }

    @Test
    void shouldFindWhatAScanFindsWhileFilesComeAndGo() throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        AtomicInteger compared = new AtomicInteger();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        try (Loom loom = open(true)) {
            define(loom);
            TextIndexTest queries = new TextIndexTest();
            queries.temp = temp;
            queries.sayTheSeed();
            queries.sources.addAll(sources);
            Thread reader = new Thread(() -> {
                try (LoomReader attached = LoomReader.attach(temp.resolve("store"))) {
                    while (!ended.get()) {
                        try (Snapshot snapshot = attached.snapshot()) {
                            queries.compare(snapshot, 3);
                        }
                        compared.incrementAndGet();
                    }
                } catch (Throwable e) {
                    failure.set(e);
                }
            });
            reader.start();
            for (int i = 0; failure.get() == null && (i < 40 || compared.get() < 20); i++) {
                fill(loom, 60);
                finish(loom); // a unit for each source, so that they are put together again and again
            }
            ended.set(true);
            reader.join();
        }
        assertEquals(null, failure.get());
    }

    @Test
    void shouldFindFieldsOfMalformedPayloads() {
        try (Loom loom = open(true)) {
            int source = loom.defineSource("json", Formats.json());
            for (int i = 0; i < 10_000; i++) {
                String json = i == 500 ? "{\"id\":\"needle\",\"body\":" : "{\"id\":\"hay" + i + "\"}";
                byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
                payload.putBytes(0, bytes);
                loom.push(source, payload, 0, bytes.length);
            }
            finish(loom);
            try (Snapshot snapshot = loom.snapshot()) {
                Where where = Where.parse("id == 'needle'");
                assertEquals(
                        1,
                        addresses(snapshot, source, where, Order.NEWEST_FIRST, true)
                                .size());
                assertTrue(skipped > 0, "the index was of no use");
            }
        }
    }

    @Test
    void shouldNotTrustUnitsOfRecordsThatAreGone() throws IOException {
        try (Loom loom = open(true)) {
            define(loom);
            fill(loom, RECORDS / 8);
        }
        Path earlier = temp.resolve("earlier");
        copy(temp.resolve("store"), earlier);
        try (Loom loom = open(true)) {
            fill(loom, RECORDS / 8);
            finish(loom);
        }
        // as after a power cut that took the newer records, but not their units
        copy(temp.resolve("store/text"), earlier.resolve("text"));
        Files.move(temp.resolve("store"), temp.resolve("later"));
        Files.move(earlier, temp.resolve("store"));
        try (Loom loom = open(false)) {
            fill(loom, RECORDS / 4);
            try (Snapshot snapshot = loom.snapshot()) {
                compare(snapshot, 6 * QUERIES);
            }
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> paths = Files.walk(from)) {
            for (Path path : paths.toList()) {
                Path target = to.resolve(from.relativize(path).toString());
                if (Files.isDirectory(path)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(path, target);
                }
            }
        }
    }

    @Test
    void shouldFindWhatAScanFindsWhenFilesAreDamagedOrMissing() throws IOException {
        try (Loom loom = open(true)) {
            define(loom);
            for (int part = 0; part < 4; part++) {
                fill(loom, RECORDS / 8);
                finish(loom);
            }
        }
        for (Path file : unitFiles()) {
            byte[] bytes = Files.readAllBytes(file);
            switch (random.nextInt(6)) {
                case 0 -> Files.delete(file);
                case 1 -> Files.write(file, new byte[0]);
                case 2 -> Files.write(file, Arrays.copyOf(bytes, random.nextInt(bytes.length)));
                case 3, 4 -> {
                    for (int i = 0; i < 5; i++) {
                        bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
                    }
                    Files.write(file, bytes);
                }
                default -> {}
            }
        }
        try (LoomReader reader = LoomReader.attach(temp.resolve("store"));
                Snapshot snapshot = reader.snapshot()) {
            compare(snapshot, QUERIES / 2);
        }
        try (Loom loom = open(true)) { // and goes on from there
            fill(loom, RECORDS / 8);
            finish(loom);
            try (Snapshot snapshot = loom.snapshot()) {
                compare(snapshot, QUERIES / 4);
            }
        }
    }

    @Test
    void shouldFindWhatAScanFindsWhereRecordsAreDamaged() throws IOException {
        try (Loom loom = open(false)) {
            define(loom);
            fill(loom, RECORDS / 2);
        }
        Path segment;
        try (Stream<Path> files = Files.list(temp.resolve("store/record"))) {
            segment = files.sorted().findFirst().orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(segment);
        for (int page = 0; page < bytes.length >> 16; page++) {
            if (random.nextInt(4) == 0) {
                bytes[(page << 16) + random.nextInt(1 << 16)] ^= 1;
            }
        }
        Files.write(segment, bytes);
        try (Loom loom = open(true)) {
            finish(loom);
            try (Snapshot snapshot = loom.snapshot()) {
                compare(snapshot, 2 * QUERIES);
            }
        }
        assertTrue(!unitFiles().isEmpty(), "nothing was indexed");
    }

    private List<Path> unitFiles() {
        try (Stream<Path> files = Files.list(temp.resolve("store").resolve("text"))) {
            return files.sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
