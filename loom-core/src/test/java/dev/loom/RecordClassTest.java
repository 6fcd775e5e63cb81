package dev.loom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.PushStatus;
import dev.loom.api.RecordCursor;
import dev.loom.api.RecordField;
import dev.loom.api.Snapshot;
import dev.loom.api.Store;
import dev.loom.api.ValueUnit;
import dev.loom.error.SecondWriterException;
import dev.loom.format.Field;
import dev.loom.format.Formats;
import dev.loom.format.StructCodec;
import dev.loom.format.StructField;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Java records pushed to a store, through a recorder too, and read back at cursors. */
final class RecordClassTest {
    private static final StructCodec<Request> REQUESTS = StructCodec.of(Request.class);

    private record Request(
            long latencyNs,
            @StructField(type = Field.Type.U16) int status,
            double load,
            @StructField(optional = true) @Nullable String path) {
        static Request numbered(int number) {
            return new Request(1_000L + number, number % 600, number / 4.0, number % 3 == 0 ? null : "/é/" + number);
        }
    }

    private record Slowness(long latencyNs) {}

    private record Retyped(int latencyNs, int status, double load) {}

    @TempDir
    Path store;

    private static <R extends Record> List<R> read(Store store, int source, StructCodec<R> codec) {
        List<R> records = new ArrayList<>();
        try (Snapshot snapshot = store.snapshot();
                RecordCursor record = snapshot.oldestFirst(source, Long.MIN_VALUE, Long.MAX_VALUE)) {
            assertThrows(IllegalStateException.class, () -> record.read(codec), "before the first record");
            while (record.next()) {
                records.add(record.read(codec));
            }
        }
        return records;
    }

    private static List<Request> numbered(int from, int to) {
        List<Request> requests = new ArrayList<>();
        for (int i = from; i < to; i++) {
            requests.add(Request.numbered(i));
        }
        return requests;
    }

    @Test
    void shouldReadTheRecordsThatWerePushed() {
        int source;
        try (Loom loom = Loom.open(store)) {
            source = loom.defineSource("requests", REQUESTS.format());
            int index = loom.defineIndex(
                    source, "latency_ns", IndexFunction.field(REQUESTS.format(), "latency_ns"), Bins.logLinear());
            assertEquals(ValueUnit.NANOSECONDS, loom.indexes().get(0).function().unit(), "index " + index);
            for (Request request : numbered(0, 500)) {
                assertTrue(loom.push(source, REQUESTS, request) >= 0);
            }
            assertEquals(numbered(0, 500), read(loom, source, REQUESTS));
        }
        try (Loom loom = Loom.open(store)) {
            for (Request request : numbered(500, 700)) {
                assertTrue(loom.push(source, REQUESTS, request) >= 0);
            }
            assertEquals(numbered(0, 700), read(loom, source, REQUESTS));
            assertEquals(
                    List.of(new Slowness(1_000), new Slowness(1_001)),
                    read(
                                    loom,
                                    source,
                                    StructCodec.of(Slowness.class)
                                            .forFormat(loom.source("requests")
                                                    .orElseThrow()
                                                    .format()))
                            .subList(0, 2));
            try (Snapshot snapshot = loom.snapshot();
                    RecordCursor record = snapshot.oldestFirst(source, Long.MIN_VALUE, Long.MAX_VALUE)) {
                RecordField status = record.field(REQUESTS.format(), "status");
                assertTrue(record.next());
                assertTrue(record.next());
                assertEquals(1, status.getLong());
            }
        }
    }

    @Test
    void shouldReadTheRecordsThatARecorderTook() throws InterruptedException {
        try (Recorder recorder = Recorder.on(Loom.open(store)).start()) {
            int source = recorder.defineSource("requests", REQUESTS.format());
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 3; t++) {
                int first = t * 1_000;
                threads.add(new Thread(() -> numbered(first, first + 1_000)
                        .forEach(request -> assertEquals(0, recorder.offer(source, REQUESTS, request)))));
            }
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            recorder.sync();
            List<Request> read = new ArrayList<>(read(recorder, source, REQUESTS));
            read.sort((a, b) -> Long.compare(a.latencyNs(), b.latencyNs()));
            assertEquals(numbered(0, 3_000), read);
        }
    }

    @Test
    void shouldRefuseACodecOfAnotherFormat() {
        StructCodec<Retyped> retyped = StructCodec.of(Retyped.class);
        String message = "codec has a different format than its source: source=requests, format=" + REQUESTS.format()
                + ", class=" + Retyped.class.getName() + ", codec=" + retyped.format();
        Loom loom = Loom.open(store);
        int source = loom.defineSource("requests", REQUESTS.format());
        int other = loom.defineSource("texts", Formats.text());
        loom.push(source, REQUESTS, Request.numbered(1));
        assertRefused(message, () -> loom.push(source, retyped, new Retyped(1, 2, 3)));
        assertThrows(
                IllegalArgumentException.class, () -> loom.push(other, REQUESTS, Request.numbered(1)), "not a struct");
        for (int undefined : new int[] {-1, 0, 3, 70_000}) {
            assertRefused(
                    "source is not defined: id=" + undefined,
                    () -> loom.push(undefined, REQUESTS, Request.numbered(1)));
        }
        loom.releaseWriter();
        try (Recorder recorder = Recorder.on(loom).start()) {
            assertRefused(message, () -> recorder.offer(source, retyped, new Retyped(1, 2, 3)));
            assertEquals(0, recorder.offer(source, StructCodec.of(Request.class), Request.numbered(2)));
            recorder.sync();
            assertEquals(numbered(1, 3), read(recorder, source, REQUESTS));
        }
    }

    @Test
    void shouldKeepTheCodecsOfManySources() {
        try (Loom loom = Loom.open(store)) {
            StructCodec<Slowness> slowness = StructCodec.of(Slowness.class);
            List<Integer> sources = new ArrayList<>();
            for (int i = 0; i < 70; i++) {
                sources.add(loom.defineSource("source" + i, (i % 2 == 0 ? REQUESTS : slowness).format()));
            }
            for (int round = 0; round < 2; round++) {
                for (int i = 0; i < 70; i++) {
                    int source = sources.get(i);
                    if (i % 2 == 0) {
                        assertTrue(loom.push(source, REQUESTS, Request.numbered(i)) >= 0);
                        assertThrows(
                                IllegalArgumentException.class, () -> loom.push(source, slowness, new Slowness(1)));
                    } else {
                        assertTrue(loom.push(source, slowness, new Slowness(i)) >= 0);
                    }
                }
            }
            assertEquals(2, read(loom, sources.get(69), slowness).size());
        }
    }

    private record Evil(int action, String text) {
        private static @Nullable Runnable run;

        @Override
        @SuppressWarnings("UnusedMethod") // the codec calls it
        public String text() {
            if (run != null) {
                run.run();
            }
            return text;
        }
    }

    @Test
    void shouldStoreNothingWhenAnAccessorThrows() {
        StructCodec<Evil> codec = StructCodec.of(Evil.class);
        try (Recorder recorder = Recorder.on(Loom.open(store)).start()) {
            int source = recorder.defineSource("evil", codec.format());
            Evil.run = () -> {
                throw new ArithmeticException("accessor");
            };
            assertThrows(ArithmeticException.class, () -> recorder.offer(source, codec, new Evil(1, "a")));
            boolean[] measured = {false};
            Evil.run = () -> {
                if (measured[0]) {
                    throw new ArithmeticException("accessor");
                }
                measured[0] = true;
            };
            assertThrows(
                    ArithmeticException.class,
                    () -> recorder.offer(source, codec, new Evil(2, "b")),
                    "while it is written into the ring");
            Evil.run = null;
            assertEquals(0, recorder.offer(source, codec, new Evil(3, "c")));
            recorder.sync();
            assertEquals(List.of(new Evil(3, "c")), read(recorder, source, codec));
        } finally {
            Evil.run = null;
        }
    }

    @Test
    void shouldKeepAnAccessorFromWritingToTheStore() {
        StructCodec<Evil> codec = StructCodec.of(Evil.class);
        try (Loom loom = Loom.open(store)) {
            int source = loom.defineSource("evil", codec.format());
            Evil.run = () -> loom.push(source, new byte[5]);
            assertThrows(SecondWriterException.class, () -> loom.push(source, codec, new Evil(1, "a")));
            Evil.run = null;
            assertTrue(loom.push(source, codec, new Evil(2, "b")) >= 0);
            assertEquals(List.of(new Evil(2, "b")), read(loom, source, codec));
        } finally {
            Evil.run = null;
        }
    }

    private record Fickle(int a, String text) {
        private static boolean longer;

        @Override
        @SuppressWarnings("UnusedMethod") // the codec calls it
        public String text() {
            longer = !longer;
            return longer ? text + text : text;
        }
    }

    @Test
    void shouldRefuseARecordWhoseTextChangesMeanwhile() {
        StructCodec<Fickle> codec = StructCodec.of(Fickle.class);
        try (Recorder recorder = Recorder.on(Loom.open(store)).start()) {
            int source = recorder.defineSource("fickle", codec.format());
            Fickle.longer = false;
            assertRefusedState(
                    "record changed while being written: class=" + Fickle.class.getName() + ", length=9, written=7",
                    () -> recorder.offer(source, codec, new Fickle(1, "ab")));
            Fickle.longer = true;
            assertThrows(
                    IllegalArgumentException.class, () -> recorder.offer(source, codec, new Fickle(1, "ab")), "longer");
            recorder.sync();
            assertEquals(0, recorder.published(source));
        }
    }

    private record Note(String text) {}

    @Test
    void shouldTakeALongRecordAndRefuseOneThatIsTooLong() {
        StructCodec<Note> codec = StructCodec.of(Note.class);
        try (Loom loom = Loom.open(store)) {
            int source = loom.defineSource("notes", codec.format());
            Note jumbo = new Note("é".repeat(100_000));
            assertTrue(loom.push(source, codec, jumbo) >= 0);
            assertThrows(
                    IllegalArgumentException.class,
                    () -> loom.push(source, codec, new Note("x".repeat(loom.payloadLengthMax()))));
            assertEquals(List.of(jumbo), read(loom, source, codec));
            loom.closeSource(source);
            assertEquals(PushStatus.SOURCE_CLOSED, loom.push(source, codec, new Note("")));
        }
    }

    @Test
    void shouldAllocateNothingWhenPushing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int rounds = 20_000;
        Loom loom = Loom.open(store);
        int source = loom.defineSource("requests", REQUESTS.format());
        Request request = Request.numbered(77);
        for (int i = 0; i < rounds; i++) {
            loom.push(source, REQUESTS, request);
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < rounds; i++) {
            loom.push(source, REQUESTS, request);
        }
        final long pushed = threads.getCurrentThreadAllocatedBytes() - before;
        long offered;
        loom.releaseWriter();
        try (Recorder recorder = Recorder.on(loom).start()) {
            for (int i = 0; i < rounds; i++) {
                recorder.offer(source, REQUESTS, request);
            }
            before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < rounds; i++) {
                recorder.offer(source, REQUESTS, request);
            }
            offered = threads.getCurrentThreadAllocatedBytes() - before;
        }
        assertTrue(pushed < rounds, "allocated bytes: push=" + pushed + ", rounds=" + rounds);
        assertTrue(offered < rounds, "allocated bytes: offer=" + offered + ", rounds=" + rounds);
    }

    private static void assertRefused(String message, Runnable call) {
        assertEquals(
                message, assertThrows(IllegalArgumentException.class, call::run).getMessage());
    }

    private static void assertRefusedState(String message, Runnable call) {
        assertEquals(
                message, assertThrows(IllegalStateException.class, call::run).getMessage());
    }
}
