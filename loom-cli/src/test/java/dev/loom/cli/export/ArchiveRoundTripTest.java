package dev.loom.cli.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.LossReason;
import dev.loom.api.RecordCursor;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.api.ValueType;
import dev.loom.api.ValueUnit;
import dev.loom.cli.Cli;
import dev.loom.cli.Main;
import dev.loom.cli.console.Console;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a store holds, another holds after an export and an import. The oracle is a list of what was pushed. */
class ArchiveRoundTripTest {
    private static final long BEGIN_NS = 1_700_000_000_000_000_000L;

    private static final List<PayloadFormat> FORMATS = List.of(
            Formats.bytes(),
            Formats.text(),
            Formats.json(),
            Formats.struct("n:i64,t:utf8?"),
            Formats.timed(Formats.struct("latency_ns:i64")));

    @TempDir
    Path directory;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);

    private record Pushed(String source, long timeNs, ByteBuffer payload) {
        Pushed(String source, long timeNs, byte[] payload) {
            this(source, timeNs, ByteBuffer.wrap(payload));
        }
    }

    private final AtomicLong clock = new AtomicLong(BEGIN_NS);

    private Loom open(String store) {
        return Loom.open(LoomConfig.at(directory.resolve(store))
                .clock(clock::get)
                .recordRingBytes(1 << 20)
                .build());
    }

    @Test
    void shouldNotMakeBytesOfAFormatThatIsUnknownHere() throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader ours = thread.getContextClassLoader();
        ClassLoader knowing = ForeignFormat.loader(directory.resolve("provider"));
        Path archive = file("archive");
        thread.setContextClassLoader(knowing);
        try {
            try (Loom loom = open("from")) {
                loom.push(loom.defineSource("codes", Formats.parse("foreign", knowing)), new byte[] {41});
                loom.push(loom.defineSource("lines", Formats.text()), "a".getBytes(StandardCharsets.UTF_8));
            }
            Cli.on(file("from")).run("export", "--output", archive.toString()).ok();
            Cli.on(file("to"))
                    .run("import", "--format", "archive", archive.toString())
                    .ok();
            assertTrue(
                    Cli.on(file("to")).run("sources", "-o", "json").ok().out().contains("\"format\":\"foreign\""));
        } finally {
            thread.setContextClassLoader(ours);
        }
        String reason = "reason=unknown payload format: name=foreign";
        Cli.Result exported = Cli.on(file("from"))
                .run("export", "--output", file("bytes").toString())
                .exit(2);
        assertTrue(
                exported.err().contains("unknown here, so no archive can have it: source=codes, " + reason),
                exported.err());
        assertFalse(Files.exists(file("bytes")));
        Cli.on(file("from"))
                .run("export", "lines", "--output", file("lines").toString())
                .ok();
        Cli.Result imported = Cli.on(file("other"))
                .run("import", "--format", "archive", archive.toString())
                .exit(3);
        assertTrue(imported.err().contains("unknown here: source=codes, " + reason), imported.err());
    }

    /** A store has at most 4,096 open ones unless it is told otherwise; closed ones don't count. */
    @Test
    void shouldImportMoreSourcesThanAStoreHasOpen() {
        int count = 4100;
        try (Loom loom = open("from")) {
            for (int i = 0; i < count; i++) {
                int id = loom.defineSource("s" + i, Formats.bytes());
                loom.push(id, new byte[] {1});
                loom.closeSource(id);
            }
        }
        Cli.on(file("from")).run("export", "--output", file("all").toString()).ok();
        Cli to = Cli.on(file("to"));
        to.run("import", "--format", "archive", file("all").toString()).ok();
        try (Store store = LoomReader.attach(file("to"));
                Snapshot snapshot = store.snapshot()) {
            List<Source> sources = snapshot.sources();
            assertEquals(count, sources.size());
            assertTrue(sources.stream().allMatch(Source::closed));
            assertEquals(
                    count,
                    sources.stream()
                            .mapToLong(
                                    source -> snapshot.statistics(source.id()).records())
                            .sum());
        }
    }

    @Test
    void shouldRefuseToExportMoreDefinitionsThanAnImportTakes() {
        String longest = "x".repeat(1_000_000);
        try (Loom loom = open("from")) {
            for (int i = 0; i < 34; i++) {
                loom.defineSource("s" + i, Formats.bytes(), Map.of("about", longest));
            }
        }
        Cli.Result exported = Cli.on(file("from"))
                .run("export", "--output", file("all").toString())
                .exit(4);
        assertTrue(exported.err().contains("too long for one archive: bytes=34"), exported.err());
        assertFalse(Files.exists(file("all")));
        String[] most = new String[36];
        for (int i = 0; i < 33; i++) {
            most[i + 1] = "s" + i;
        }
        most[0] = "export";
        most[34] = "--output";
        most[35] = file("most").toString();
        Cli.on(file("from")).run(most).ok();
        Cli.on(file("to"))
                .run("import", "--format", "archive", file("most").toString())
                .ok();
    }

    private Path file(String name) {
        return directory.resolve(name);
    }

    private Cli on(String store) {
        return Cli.on(directory.resolve(store));
    }

    private Cli.Result exported(String store, String file, String... options) {
        List<String> arguments =
                new ArrayList<>(List.of("export", "--output", file(file).toString()));
        arguments.addAll(List.of(options));
        return on(store).run(arguments.toArray(String[]::new)).ok();
    }

    private Cli.Result imports(String store, String... arguments) {
        List<String> all = new ArrayList<>(List.of("import", "--format", "archive"));
        Stream.of(arguments)
                .map(word -> word.endsWith(".loom") ? file(word).toString() : word)
                .forEach(all::add);
        Path to = directory.resolve(store);
        Cli cli = Files.exists(to) ? Cli.on(to) : Cli.onSmallStore(to);
        return cli.run(all.toArray(String[]::new));
    }

    /** Pushes random records into new sources; payloads have no bytes, a few, a page or several pages. */
    private List<Pushed> fill(String store, int sources, int records) {
        List<Pushed> pushed = new ArrayList<>();
        clock.set(BEGIN_NS + random.nextInt(1000));
        try (Loom loom = open(store)) {
            int[] ids = new int[sources];
            for (int i = 0; i < sources; i++) {
                ids[i] =
                        loom.defineSource("s" + i, FORMATS.get(i % FORMATS.size()), Map.of("host", store, "n", "" + i));
            }
            for (int i = 0; i < records; i++) {
                clock.addAndGet(random.nextInt(3) * (long) random.nextInt(1_000_000));
                byte[] payload = new byte[length()];
                random.nextBytes(payload);
                int source = random.nextInt(sources);
                assertTrue(loom.push(ids[source], payload) >= 0);
                pushed.add(new Pushed("s" + source, clock.get(), payload));
            }
        }
        return pushed;
    }

    private int length() {
        return switch (random.nextInt(50)) {
            case 0 -> 0;
            case 1 -> 60_000 + random.nextInt(10_000);
            case 2 -> random.nextInt(250_000);
            default -> random.nextInt(300);
        };
    }

    /** Requires that a store has these records, in this order. */
    private void requireRecords(String store, List<Pushed> expected) {
        List<Map.Entry<Long, Pushed>> found = new ArrayList<>();
        try (LoomReader reader = LoomReader.attach(directory.resolve(store));
                Snapshot snapshot = reader.snapshot()) {
            for (Source source : snapshot.sources()) {
                try (RecordCursor cursor = snapshot.oldestFirst(source.id(), Long.MIN_VALUE, Long.MAX_VALUE)) {
                    while (cursor.next()) {
                        byte[] payload = new byte[cursor.length()];
                        cursor.buffer().getBytes(cursor.offset(), payload);
                        found.add(Map.entry(cursor.address(), new Pushed(source.name(), cursor.timeNs(), payload)));
                    }
                    assertEquals(0, cursor.damaged());
                }
            }
        }
        found.sort(Map.Entry.comparingByKey());
        assertEquals(expected.size(), found.size(), () -> "seed=" + seed);
        for (int i = 0; i < expected.size(); i++) {
            Pushed wanted = expected.get(i);
            Pushed got = found.get(i).getValue();
            String place = "seed=" + seed + ", record=" + i;
            assertEquals(wanted.source(), got.source(), place);
            assertEquals(wanted.timeNs(), got.timeNs(), place);
            assertEquals(wanted.payload(), got.payload(), place);
        }
    }

    private List<String> schema(String store) {
        List<String> lines = new ArrayList<>();
        try (LoomReader reader = LoomReader.attach(directory.resolve(store));
                Snapshot snapshot = reader.snapshot()) {
            for (Source source : snapshot.sources()) {
                lines.add(source.name()
                        + ' '
                        + source.format().text()
                        + ' '
                        + new TreeMap<>(source.attributes())
                        + ' '
                        + source.closed());
                for (Index index : snapshot.indexes(source.id())) {
                    lines.add(index.name() + ' ' + index.kind() + ' ' + index.function() + ' ' + index.bins());
                }
            }
        }
        return lines;
    }

    @Test
    void shouldHoldTheSameRecordsAfterExportAndImport() {
        System.out.println("ArchiveRoundTripTest: -Dloom.test.seed=" + seed);
        List<Pushed> pushed = fill("a", 5, 4_000);
        exported("a", "a.loom");
        imports("b", "a.loom").ok();
        requireRecords("b", pushed);
        assertEquals(schema("a"), schema("b"));
        // and the copy's copy, through a pipe
        Cli.Result second = on("b").run("sources", "-o", "json").ok();
        assertEquals(5, second.lines().size());
        exported("b", "b.loom");
        imports("c", "b.loom").ok();
        requireRecords("c", pushed);
    }

    @Test
    void shouldExportAndImportThroughPipes() {
        List<Pushed> pushed = fill("a", 2, 500);
        ByteArrayOutputStream archive = new ByteArrayOutputStream();
        assertEquals(
                0, Main.run(on("a").console(archive, new ByteArrayOutputStream()), "export", "--format", "archive"));
        on("b").input(new ByteArrayInputStream(archive.toByteArray()))
                .run("import", "--format", "archive", "-")
                .ok();
        requireRecords("b", pushed);
    }

    @Test
    void shouldMergeTheArchivesOfSeveralHostsByTime() {
        System.out.println("ArchiveRoundTripTest: -Dloom.test.seed=" + seed);
        List<Pushed> expected = new ArrayList<>();
        for (String host : List.of("web1", "web2", "web3")) {
            for (Pushed pushed : fill(host, 2, 700)) {
                expected.add(new Pushed(host + '.' + pushed.source(), pushed.timeNs(), pushed.payload()));
            }
            exported(host, host + ".loom");
        }
        imports(
                        "all",
                        "--prefix",
                        "web1",
                        "--prefix",
                        "web2",
                        "--prefix",
                        "web3",
                        "web1.loom",
                        "web2.loom",
                        "web3.loom")
                .ok();
        // stable, as archives come in order where times are equal
        expected.sort(Comparator.comparingLong(Pushed::timeNs));
        requireRecords("all", expected);
    }

    @Test
    void shouldMergeSourcesOfOneNameOnlyIfTheyAreAlike() {
        List<Pushed> expected = new ArrayList<>();
        for (String host : List.of("web1", "web2")) {
            clock.set(BEGIN_NS); // of equal times, the first archive comes first
            try (Loom loom = open(host)) {
                int id = loom.defineSource("s", Formats.text());
                loom.push(id, host.getBytes(StandardCharsets.UTF_8));
                expected.add(new Pushed("s", clock.get(), host.getBytes(StandardCharsets.UTF_8)));
            }
            exported(host, host + ".loom");
        }
        imports("all", "web1.loom", "web2.loom").ok();
        requireRecords("all", expected);
        clock.set(BEGIN_NS + 2);
        try (Loom loom = open("web3")) {
            loom.push(loom.defineSource("s", Formats.bytes()), new byte[1]);
        }
        exported("web3", "web3.loom");
        String[] both = {file("web1.loom").toString(), file("web3.loom").toString()};
        Cli.Result refused = on("other")
                .run("import", "--format", "archive", both[0], both[1])
                .exit(2);
        assertTrue(refused.err().contains("different sources of one name: source=s"), refused.err());
        assertTrue(Files.notExists(directory.resolve("other")));
    }

    @Test
    void shouldExportARangeOfSomeSources() {
        System.out.println("ArchiveRoundTripTest: -Dloom.test.seed=" + seed);
        List<Pushed> pushed = fill("a", 4, 3_000);
        long fromNs = pushed.get(random.nextInt(1_500)).timeNs();
        long toNs = pushed.get(1_500 + random.nextInt(1_500)).timeNs();
        exported("a", "a.loom", "--source", "s1", "--source", "s3", "--from", "" + fromNs, "--to", "" + toNs);
        imports("b", "a.loom").ok();
        requireRecords(
                "b",
                pushed.stream()
                        .filter(record ->
                                record.source().equals("s1") || record.source().equals("s3"))
                        .filter(record -> record.timeNs() >= fromNs && record.timeNs() < toNs)
                        .toList());
    }

    @Test
    void shouldKeepIndexesLossesAndSourcesWithoutRecords() {
        try (Loom loom = open("a")) {
            PayloadFormat format = Formats.struct("ts_ns:i64,latency_ns:i64");
            int id = loom.defineSource("s", format);
            loom.defineSource("empty", Formats.json(), Map.of("key", "é \u0000"));
            loom.defineIndex(id, "latency_ns", IndexFunction.field(format, "latency_ns"), Bins.linear(0, 100, 7));
            loom.defineEventTimeIndex(id, "event-time", IndexFunction.field(format, "ts_ns"));
            loom.defineIndex(
                    id,
                    "own",
                    IndexFunction.of("own", ValueType.I64, ValueUnit.NONE, (b, o, l, value) -> value.setInteger(1)),
                    Bins.logLinear());
            loom.push(id, new byte[16]);
            clock.addAndGet(5);
            loom.noteLoss(id, LossReason.STORE_FULL, 12, BEGIN_NS + 1, BEGIN_NS + 2);
            loom.push(id, new byte[16]);
            loom.closeSource(id);
        }
        exported("a", "a.loom");
        Cli.Result result = imports("b", "a.loom").ok();
        assertTrue(result.err().contains("index is left out"), result.err());
        assertTrue(result.err().contains("lost=12"), result.err());
        assertEquals(
                schema("a").stream().filter(line -> !line.startsWith("own ")).toList(), schema("b"));
        try (LoomReader reader = LoomReader.attach(directory.resolve("b"));
                Snapshot snapshot = reader.snapshot()) {
            assertEquals(12, snapshot.statistics(1).lost());
        }
        exported("b", "b.loom");
        assertTrue(imports("c", "b.loom").ok().err().contains("lost=12"));
    }

    @Test
    void shouldDefineASourceAgainWhereItWas() {
        List<Pushed> expected = new ArrayList<>();
        try (Loom loom = open("a")) {
            for (PayloadFormat format : List.of(Formats.text(), Formats.json(), Formats.text())) {
                int id = loom.defineSource("s", format);
                clock.addAndGet(10);
                loom.push(id, "1".getBytes(StandardCharsets.UTF_8));
                expected.add(new Pushed("s", clock.get(), "1".getBytes(StandardCharsets.UTF_8)));
                loom.closeSource(id);
            }
        }
        exported("a", "a.loom");
        imports("b", "a.loom").ok();
        requireRecords("b", expected);
        assertEquals(schema("a"), schema("b"));
    }

    /** Each of the archives has all sources, also those without records in its range. */
    @Test
    void shouldAppendWhatIsLaterOfASourceDefinedAgain() {
        List<Pushed> expected = new ArrayList<>();
        List<Long> begins = new ArrayList<>();
        try (Loom loom = open("a")) {
            for (int i = 0; i < 3; i++) {
                begins.add(clock.get() + 5);
                clock.addAndGet(10);
                int id = loom.defineSource("s", i == 1 ? Formats.json() : Formats.text());
                loom.push(id, "1".getBytes(StandardCharsets.UTF_8));
                expected.add(new Pushed("s", clock.get(), "1".getBytes(StandardCharsets.UTF_8)));
                if (i < 2) {
                    loom.closeSource(id);
                }
            }
        }
        exported("a", "1.loom", "--to", "" + begins.get(1));
        exported("a", "2.loom", "--from", "" + begins.get(1), "--to", "" + begins.get(2));
        exported("a", "3.loom", "--from", "" + begins.get(2));
        imports("b", "1.loom").ok();
        imports("b", "2.loom").ok();
        imports("b", "3.loom").ok();
        requireRecords("b", expected);
        assertEquals(schema("a"), schema("b"));
        imports("c", "1.loom", "2.loom", "3.loom").ok();
        requireRecords("c", expected);
        assertEquals(schema("a"), schema("c"));
        imports("d", "3.loom").ok();
        requireRecords("d", expected.subList(2, 3));
    }

    /** Exports ranges that end at these times, the last one without an end, and imports them one after the other, and all at once. */
    private void requireRanges(List<Pushed> expected, long... endsNs) {
        List<String> archives = new ArrayList<>();
        for (int i = 0; i <= endsNs.length; i++) {
            String from = i == 0 ? "" + BEGIN_NS : "" + endsNs[i - 1];
            String to = i == endsNs.length ? "" + Long.MAX_VALUE : "" + endsNs[i];
            archives.add(i + ".loom");
            exported("a", i + ".loom", "--from", from, "--to", to);
            imports("b", i + ".loom").ok();
        }
        requireRecords("b", expected);
        assertEquals(schemaOfOpen("a"), schemaOfOpen("b"));
        imports("c", archives.toArray(String[]::new)).ok();
        requireRecords("c", expected);
        assertEquals(schema("a"), schema("c"));
    }

    /** Of sources that a store had before an import others may write records, so it leaves them open. */
    private List<String> schemaOfOpen(String store) {
        return schema(store).stream()
                .map(source -> source.replaceFirst(" true$", " false"))
                .toList();
    }

    private Pushed push(Loom loom, int source, String name) {
        clock.addAndGet(10);
        byte[] payload = Long.toString(clock.get()).getBytes(StandardCharsets.UTF_8);
        assertTrue(loom.push(source, payload) >= 0);
        return new Pushed(name, clock.get(), payload);
    }

    @Test
    void shouldAppendWhatIsLaterOfASourceThatIsClosedSince() {
        List<Pushed> expected = new ArrayList<>();
        try (Loom loom = open("a")) {
            loom.closeSource(loom.defineSource("empty", Formats.json()));
            int early = loom.defineSource("early", Formats.text());
            int id = loom.defineSource("s", Formats.text());
            int late = loom.defineSource("late", Formats.text());
            expected.add(push(loom, early, "early"));
            expected.add(push(loom, id, "s"));
            expected.add(push(loom, id, "s"));
            expected.add(push(loom, late, "late"));
            List.of(early, id, late).forEach(loom::closeSource);
        }
        requireRanges(
                expected,
                expected.get(1).timeNs() + 1,
                expected.get(2).timeNs(),
                expected.get(2).timeNs() + 1);
    }

    @Test
    void shouldAppendWhatIsLaterOfASourceDefinedAgainAndClosed() {
        List<Pushed> expected = new ArrayList<>();
        try (Loom loom = open("a")) {
            for (int i = 0; i < 2; i++) {
                int id = loom.defineSource("s", Formats.text());
                expected.add(push(loom, id, "s"));
                expected.add(push(loom, id, "s"));
                expected.add(push(loom, id, "s"));
                loom.closeSource(id);
            }
        }
        requireRanges(
                expected, expected.stream().skip(1).mapToLong(Pushed::timeNs).toArray());
    }

    /** They are in archives of all ranges in which others refer to them. */
    @Test
    void shouldAppendWhatRefersToASourceThatIsClosedSince() {
        fillSpans("a", 30, 5, 1 << 20);
        on("a").run("source", "close", "otlp.contexts").ok();
        List<String> spans = spans("a");
        long middleNs = BEGIN_NS + 201;
        exported("a", "1.loom", "--to", "" + middleNs);
        exported("a", "2.loom", "--from", "" + middleNs);
        imports("b", "1.loom").ok();
        String err = imports("b", "2.loom").ok().err();
        assertTrue(err.contains("source stays open, ") && err.contains("source=otlp.contexts"), err);
        requireLines(spans, spans("b"));
        assertEquals(schemaOfOpen("a"), schemaOfOpen("b"));
    }

    @Test
    void shouldCountLaterLossesOfASourceThatIsClosed() {
        try (Loom loom = open("a")) {
            int id = loom.defineSource("s", Formats.text());
            int other = loom.defineSource("other", Formats.text());
            push(loom, id, "s");
            push(loom, other, "other");
            loom.noteLoss(id, LossReason.STORE_FULL, 12, clock.get(), clock.get());
            push(loom, other, "other");
            loom.closeSource(id);
        }
        exported("a", "1.loom", "--to", "" + (BEGIN_NS + 15));
        exported("a", "2.loom", "--from", "" + (BEGIN_NS + 15));
        imports("b", "1.loom").ok();
        assertTrue(imports("b", "2.loom").ok().err().contains("lost=12"));
        assertEquals(schema("a"), schema("b"));
    }

    private long lost(String store) {
        try (LoomReader reader = LoomReader.attach(directory.resolve(store));
                Snapshot snapshot = reader.snapshot()) {
            return snapshot.sources().stream()
                    .mapToLong(source -> snapshot.statistics(source.id()).lost())
                    .sum();
        }
    }

    /** Exports ranges that end at these times, and the rest. Requires that of these archives only the second has losses, 12. */
    private void exportLosses(String store, long... endsNs) {
        for (int i = 0; i <= endsNs.length; i++) {
            String from = i == 0 ? "" + BEGIN_NS : "" + endsNs[i - 1];
            String to = i == endsNs.length ? "" + Long.MAX_VALUE : "" + endsNs[i];
            String err = exported(store, store + i + ".loom", "--from", from, "--to", to)
                    .err();
            assertEquals(i == 1, err.contains("lost=12"), err);
            assertEquals(i == 1, err.contains("lost="), err);
        }
    }

    @Test
    void shouldCountALossOfSeveralRangesOnce() {
        List<Pushed> expected = new ArrayList<>();
        try (Loom loom = open("a")) {
            int id = loom.defineSource("s", Formats.text());
            expected.add(push(loom, id, "s"));
            expected.add(push(loom, id, "s"));
            loom.noteLoss(id, LossReason.STORE_FULL, 12, BEGIN_NS + 10, BEGIN_NS + 20);
            expected.add(push(loom, id, "s"));
        }
        exportLosses("a", BEGIN_NS + 15, BEGIN_NS + 25);
        imports("b", "a0.loom", "a1.loom", "a2.loom").ok();
        requireRecords("b", expected);
        assertEquals(12, lost("b"));
        // and the copy has it where the records are that came with it
        exportLosses("b", BEGIN_NS + 15, BEGIN_NS + 25);
        for (String archive : List.of("b0.loom", "b1.loom", "b2.loom")) {
            imports("c", archive).ok();
        }
        requireRecords("c", expected);
        assertEquals(12, lost("c"));
    }

    @Test
    void shouldRefuseToCountLossesOfARangeWithoutRecordsTwice() {
        List<Pushed> expected = new ArrayList<>();
        try (Loom loom = open("a")) {
            int id = loom.defineSource("s", Formats.text());
            expected.add(push(loom, id, "s"));
            expected.add(push(loom, id, "s"));
            loom.noteLoss(id, LossReason.STORE_FULL, 12, BEGIN_NS + 12, BEGIN_NS + 16);
        }
        exportLosses("a", BEGIN_NS + 11, BEGIN_NS + 18);
        imports("all", "a0.loom", "a1.loom", "a2.loom").ok();
        requireRecords("all", expected);
        assertEquals(12, lost("all"));
        imports("later", "a0.loom").ok();
        for (String store : List.of("later", "new")) {
            assertTrue(imports(store, "a1.loom").ok().err().contains("lost=12"));
            assertTrue(imports(store, "a1.loom").exit(2).err().contains("import into a new one"));
            String both = imports(store, "a1.loom", "a2.loom").exit(2).err();
            assertTrue(both.contains("import into a new one"), both);
            exportLosses(store, BEGIN_NS + 11, BEGIN_NS + 18);
            imports(store, "a2.loom").ok();
            assertEquals(12, lost(store));
        }
        requireRecords("later", expected);
        requireRecords("new", expected.subList(1, 2));
    }

    @Test
    void shouldDefineASourceAgainThatTheStoreHasClosed() {
        List<Pushed> expected = new ArrayList<>();
        try (Loom loom = open("a")) {
            int id = loom.defineSource("s", Formats.text());
            expected.add(push(loom, id, "s"));
            loom.closeSource(id);
        }
        exported("a", "1.loom");
        try (Loom loom = open("a")) {
            expected.add(push(loom, loom.defineSource("s", Formats.text()), "s"));
        }
        exported("a", "2.loom", "--source", "s", "--from", "" + clock.get());
        imports("b", "1.loom").ok();
        imports("b", "2.loom").ok();
        requireRecords("b", expected);
        assertEquals(schema("a"), schema("b"));
    }

    @Test
    void shouldAppendToARangeWithoutRecords() {
        List<Pushed> pushed = fill("a", 1, 100);
        exported("a", "none.loom", "--from", "5", "--to", "" + pushed.get(0).timeNs());
        imports("b", "none.loom").ok();
        exported("a", "all.loom");
        imports("b", "all.loom").ok();
        requireRecords("b", pushed);
    }

    @Test
    void shouldRefuseWhatWouldBeStoredTwiceOrTooLate() {
        List<Pushed> pushed = fill("a", 2, 100);
        exported("a", "a.loom");
        exported("a", "again.loom", "--source", "s1");
        assertTrue(imports("b", "a.loom", "a.loom").exit(2).err().contains("records in common"));
        assertTrue(imports("b", "a.loom", "again.loom").exit(2).err().contains("records in common"));
        imports("b", "a.loom").ok();
        assertTrue(imports("b", "a.loom").exit(2).err().contains("import into a new one"));
        requireRecords("b", pushed);
    }

    @Test
    void shouldRefuseOptionsThatArchivesHaveNoUseFor() {
        fill("a", 1, 1);
        exported("a", "a.loom");
        for (String[] options : new String[][] {
            {"--policy", "drop-newest"}, {"--on-bad", "skip"}, {"--event-time", "x"}, {"--clock-pair", "none"}
        }) {
            String err = imports("b", options[0], options[1], "a.loom").exit(2).err();
            assertTrue(err.startsWith("loom: archives are imported as they are"), err);
        }
    }

    @Test
    void shouldAppendWhatIsLater() {
        List<Pushed> pushed = fill("a", 1, 100);
        long middleNs = pushed.get(50).timeNs();
        exported("a", "1.loom", "--to", "" + middleNs);
        exported("a", "2.loom", "--from", "" + middleNs);
        imports("b", "1.loom").ok();
        on("b").run("source", "add", "other").ok(); // opens the store, much later than the records
        imports("b", "2.loom").ok();
        requireRecords("b", pushed);
    }

    @Test
    void shouldSayThatTheStoreMustNotBeOpen() {
        fill("a", 1, 10);
        exported("a", "a.loom");
        clock.set(1);
        try (Loom loom = open("b")) {
            assertTrue(loom.sources().isEmpty());
            Cli.Result refused = imports("b", "a.loom").exit(3);
            assertTrue(refused.err().contains("a sidecar can't import them"), refused.err());
        }
    }

    /** A context with a service name, as protobuf: ResourceSpans { resource { attributes }, scope_spans {} }. */
    private static byte[] context(String service) {
        byte[] value = field(2, field(1, service.getBytes(StandardCharsets.UTF_8)));
        byte[] attribute = join(field(1, "service.name".getBytes(StandardCharsets.UTF_8)), value);
        return join(field(1, field(1, attribute)), field(2, new byte[0]));
    }

    private static byte[] field(int number, byte[] bytes) {
        assertTrue(bytes.length < 128);
        return join(new byte[] {(byte) (number << 3 | 2), (byte) bytes.length}, bytes);
    }

    private static byte[] join(byte[] first, byte[] second) {
        byte[] joined = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, joined, first.length, second.length);
        return joined;
    }

    private static byte[] span(long reference, String name, int length) {
        byte[] message = field(5, name.getBytes(StandardCharsets.UTF_8));
        return ByteBuffer.allocate(8 + message.length + length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(reference)
                .put(message)
                .array();
    }

    /** Stores spans of many services; a context is written again in each segment, as the receiver does. */
    private List<String> fillSpans(String store, int spans, int services, long segmentBytes) {
        List<String> names = new ArrayList<>();
        try (Loom loom = Loom.open(LoomConfig.at(directory.resolve(store))
                .clock(clock::get)
                .recordRingBytes(1 << 20)
                .segmentBytes(segmentBytes)
                .build())) {
            int contexts = loom.defineSource("otlp.contexts", Formats.parse("otlp-context"));
            int source = loom.defineSource("spans", Formats.parse("otlp-span"));
            long[] addresses = new long[services];
            Arrays.fill(addresses, -1);
            for (int i = 0; i < spans; i++) {
                clock.addAndGet(10);
                int service = random.nextInt(services);
                byte[] name = span(0, "span" + i, 0);
                long next = loom.info().records().tail() + 4096;
                long segment = next - next % segmentBytes;
                if (addresses[service] < segment) {
                    addresses[service] = loom.push(contexts, context("service" + service));
                }
                long address = loom.push(source, span(addresses[service] | 1, "span" + i, 0));
                boolean together = address / segmentBytes == addresses[service] / segmentBytes;
                names.add("span" + i + "=" + (together ? "service" + service : "null") + name.length);
            }
        }
        return names;
    }

    private List<String> spans(String store) {
        List<String> lines = on(store)
                .run("scan", "spans", "--asc", "--fields", "name,service.name", "-o", "json")
                .ok()
                .lines();
        return lines.stream()
                .map(line -> line.substring(line.indexOf("\"fields\":")))
                .toList();
    }

    private void requireLines(List<String> expected, List<String> actual) {
        assertEquals(expected.size(), actual.size());
        for (int i = 0; i < expected.size(); i++) {
            assertEquals(expected.get(i), actual.get(i), "seed=" + seed + ", line=" + i);
        }
    }

    @Test
    void shouldKeepWhatRecordsReferTo() {
        System.out.println("ArchiveRoundTripTest: -Dloom.test.seed=" + seed);
        fillSpans("a", 30_000, 6_000, 1 << 19);
        List<String> spans = spans("a");
        assertTrue(spans.stream().filter(line -> line.contains(":null")).count() < 1_000);
        exported("a", "a.loom");
        // smaller segments, at other places
        try (Loom loom = Loom.open(LoomConfig.at(directory.resolve("b"))
                .clock(() -> 1)
                .segmentBytes(1 << 17)
                .build())) {
            loom.push(loom.defineSource("other", Formats.bytes()), new byte[50_000]);
        }
        imports("b", "a.loom").ok();
        requireLines(spans, spans("b"));
    }

    @Test
    void shouldCarryWhatRecordsReferToFromOutsideOfTheRange() {
        fillSpans("a", 300, 5, 1 << 20);
        List<String> spans = spans("a");
        exported("a", "a.loom", "--source", "spans", "--from", "" + (BEGIN_NS + 2_001));
        imports("b", "a.loom").ok();
        requireLines(spans.subList(200, 300), spans("b"));
        assertTrue(spans("b").stream().noneMatch(line -> line.contains("null")), spans("b")::toString);
    }

    @Test
    void shouldImportTwoSourcesOfOneStoreThatReferToTheSame() {
        fillSpans("a", 100, 5, 1 << 20);
        try (Loom loom = open("a")) {
            loom.push(loom.defineSource("other", Formats.parse("otlp-log")), new byte[20]);
        }
        exported("a", "1.loom", "--source", "spans");
        exported("a", "2.loom", "--source", "other");
        imports("b", "1.loom", "2.loom").ok();
        requireLines(spans("a"), spans("b"));
    }

    @Test
    void shouldNameSourcesByTheHostOfTheirArchive() throws IOException {
        List<Pushed> pushed = fill("a", 1, 10);
        exported("a", "a.loom");
        imports("b", "--by-host", "a.loom").ok();
        String host = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        assertTrue(schema("b").get(0).startsWith(host + ".s0 "), schema("b")::toString);
        fill("same", 1, 10);
        exported("same", "same.loom");
        assertTrue(imports("c", "--by-host", "a.loom", "same.loom")
                .exit(2)
                .err()
                .contains("two stores have one host: host=" + host));
        assertTrue(imports("c", "--by-host", "--prefix", "x", "a.loom")
                .exit(2)
                .err()
                .contains("mutually exclusive"));
        assertTrue(imports("c", "--prefix", "x", "--prefix", "y", "a.loom")
                .exit(2)
                .err()
                .contains("prefixes=2"));
        assertTrue(imports("c", "--source", "x", "a.loom").exit(2).err().contains("archives name their sources"));
        assertTrue(imports("c", "--prefix", "-", "a.loom").exit(2).err().contains("bad source name"));
        imports("c", "a.loom").ok();
        requireRecords("c", pushed);
    }

    /** An input during which somebody presses Ctrl-C. */
    private static final class InterruptedInput extends FilterInputStream {
        private Runnable interrupt = () -> {};
        private int left;

        InterruptedInput(byte[] bytes, int left) {
            super(new ByteArrayInputStream(bytes));
            this.left = left;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            if (left == 0) {
                interrupt.run();
            }
            int count = super.read(into, offset, Math.min(length, left == 0 ? length : left));
            left -= left == 0 ? 0 : count;
            return count;
        }
    }

    @Test
    void shouldKeepWhatCameBeforeAnInterruption() throws IOException {
        List<Pushed> pushed = fill("a", 2, 2_000);
        exported("a", "a.loom");
        byte[] archive = Files.readAllBytes(file("a.loom"));
        InterruptedInput input = new InterruptedInput(archive, archive.length / 2);
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = on("b").input(input).console(OutputStream.nullOutputStream(), err);
        input.interrupt = console.interruption()::request;
        assertEquals(130, Main.run(console, "import", "--format", "archive", "-"));
        assertTrue(err.toString(StandardCharsets.UTF_8).contains("; incomplete"), err::toString);
        int stored = 0;
        try (LoomReader reader = LoomReader.attach(directory.resolve("b"));
                Snapshot snapshot = reader.snapshot()) {
            for (Source source : snapshot.sources()) {
                stored += (int) snapshot.statistics(source.id()).records();
            }
        }
        assertTrue(stored < pushed.size());
        requireRecords("b", pushed.subList(0, stored));
    }

    /** A store of now would refuse the same archive, and what was read of the schema may be half of it. */
    @Test
    void shouldCreateNothingIfInterruptedBeforeTheFirstRecord() throws IOException {
        fill("a", 2, 10);
        exported("a", "a.loom");
        byte[] archive = Files.readAllBytes(file("a.loom"));
        for (int read = 1; read < archive.length / 2; read += 1 + read / 2) {
            InterruptedInput input = new InterruptedInput(archive, read);
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            Console console = on("b").input(input).console(OutputStream.nullOutputStream(), err);
            input.interrupt = console.interruption()::request;
            Main.run(console, "import", "--format", "archive", "-");
            assertFalse(Files.exists(directory.resolve("b")), read + " bytes: " + err);
        }
    }
}
