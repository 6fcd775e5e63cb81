package dev.loom.server.ingest;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.SharedWriter;
import dev.loom.api.Snapshot;
import dev.loom.error.StoreIoException;
import dev.loom.error.StoreReopenedException;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.otlp.server.Endpoint;
import dev.loom.otlp.server.InFlightBudget;
import dev.loom.otlp.server.ServerProtection;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Order;
import dev.loom.server.client.IngestClient;
import dev.loom.server.client.SidecarException;
import dev.loom.server.protocol.FrameDescriptor;
import dev.loom.server.protocol.SchemaRequests;
import dev.loom.server.request.RefusedException;
import dev.loom.server.schema.SchemaAccess;
import dev.loom.server.schema.StoreSchema;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class IngestServerTest {
    private static int tests;

    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(30);
    private static final String HELLO = "{\"protocol\":1}";

    @TempDir
    Path temp;

    private SharedWriter writer;
    private volatile boolean writable = true;
    private volatile @Nullable RuntimeException failing;
    private IngestServer server;

    @BeforeEach
    void open() {
        writer = writer(temp);
    }

    /** Opens a small store for the connections of a server. */
    static SharedWriter writer(Path directory) {
        return new SharedWriter(Loom.open(LoomConfig.at(directory.resolve("store"))
                .recordRingBytes(1 << 20)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .build()));
    }

    @AfterAll
    static void count() {
        System.out.println("row=R31 faults=" + tests + " checked=" + tests + " seed=0");
    }

    @AfterEach
    void close() {
        tests++;
        if (server != null) {
            server.close();
        }
        writer.close();
    }

    @Test
    void shouldAskForBatchesAgainWhileTheStoreCannotBeWritten() throws Exception {
        writable = false;
        Endpoint name = start();
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (IngestClient client = IngestClient.connect(name, "")) {
            int source = client.defineSource("late", Formats.bytes(), Map.of()).id();
            Future<Integer> taken = thread.submit(() -> push(client, source, new byte[] {1}));
            while (server.counters().retries.sum() == 0) {
                Thread.onSpinWait();
            }
            assertEquals(0, records(source));
            writable = true;
            assertEquals(1, taken.get());
            assertEquals(1, records(source));
        } finally {
            thread.shutdown();
        }
    }

    /** The sender keeps its records for whoever has the store. */
    @Test
    void shouldAskForBatchesAgainOnceAnotherStoreHasTheWritersPlace() throws Exception {
        try (RawClient client = new RawClient(start()).hello()) {
            int id = writer.loom().defineSource("a", Formats.bytes());
            byte[] batch = bytes(group(id, 0, 1, 0));
            assertEquals(
                    FrameDescriptor.TAKEN,
                    client.send(FrameDescriptor.BATCH, batch).answer().type);
            Files.move(temp.resolve("store"), temp.resolve("moved"));
            Loom.open(LoomConfig.at(temp.resolve("store")).build()).close();
            while (!writer.loom().info().writer().orElseThrow().fenced()) {
                Thread.onSpinWait();
            }
            for (int i = 0; i < 2; i++) {
                Answer answer = client.send(FrameDescriptor.BATCH, batch).answer();
                assertEquals(FrameDescriptor.RETRY, answer.type);
                assertEquals(0, answer.taken());
                assertTrue(answer.reason().startsWith("another store has taken the place"), answer.reason());
            }
        }
        assertEquals(2, server.counters().retries.sum());
        assertThrows(StoreReopenedException.class, writer::close);
    }

    @Test
    void shouldAskForDefinitionsAgainWhileTheStoreIsOpenedAgain() throws Exception {
        byte[] request = "{\"op\":\"source\",\"name\":\"a\"}".getBytes(StandardCharsets.UTF_8);
        try (RawClient client = new RawClient(start()).hello()) {
            for (RuntimeException failure : List.of(
                    new StoreIoException("injected failure"),
                    new StoreReopenedException("injected failure"),
                    new IllegalStateException("store is closed"))) {
                failing = failure;
                Answer answer = client.send(FrameDescriptor.SCHEMA, request).answer();
                assertEquals(FrameDescriptor.RETRY, answer.type);
                assertEquals(failure.getMessage(), answer.reason());
            }
            failing = null;
            assertEquals(
                    FrameDescriptor.DONE,
                    client.send(FrameDescriptor.SCHEMA, request).answer().type);
        }
    }

    /** Of clients that come and go; a heap that is hardly used would keep their memory for hours. */
    @Test
    void shouldLeaveNoMemoryToTheGarbageCollector() throws Exception {
        Endpoint name = start();
        BufferPoolMXBean direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .findFirst()
                .orElseThrow();
        new RawClient(name).hello().close();
        long before = direct.getMemoryUsed();
        int clients = 50;
        for (int i = 0; i < clients; i++) {
            new RawClient(name).hello().close();
        }
        while (server.connections() > 0) {
            Thread.onSpinWait();
        }
        long more = direct.getMemoryUsed() - before;
        assertTrue(more < clients / 2L * FrameDescriptor.TEXT_LENGTH_MAX, () -> "bytes more=" + more);
    }

    @Test
    void shouldRefuseAFormatThatIsTimedThousandsOfTimes() throws Exception {
        try (RawClient client = new RawClient(start()).hello()) {
            String define =
                    "{\"op\":\"define-source\",\"name\":\"a\",\"format\":\"" + "timed:".repeat(9_000) + "text\"}";
            Answer answer = client.send(FrameDescriptor.SCHEMA, define.getBytes(StandardCharsets.UTF_8))
                    .answer();
            assertEquals(FrameDescriptor.REFUSED, answer.type);
            assertEquals("payload format already has an event time: format=timed, field=event_time", answer.reason());
        }
    }

    /** The store takes definitions of up to 1 MiB, a text frame 64 KiB. */
    @Test
    void shouldRefuseDefinitionsThatAreTooLongForAFrame() throws Exception {
        Endpoint name = start();
        String fields = IntStream.range(0, 1_000)
                .mapToObj(i -> "f".repeat(70) + i + ":i64")
                .collect(Collectors.joining(","));
        PayloadFormat lengthy = Formats.struct(fields);
        writer.loom().defineSource("lengthy", lengthy);
        try (IngestClient client = IngestClient.connect(name, "")) {
            String answered = assertThrows(RefusedException.class, () -> client.openSource("lengthy"))
                    .getMessage();
            assertTrue(answered.contains("answer is too long: bytes="), answered);
            String asked = assertThrows(RefusedException.class, () -> client.defineSource("other", lengthy, Map.of()))
                    .getMessage();
            assertTrue(asked.contains("request is too long for a sidecar: bytes="), asked);
            assertEquals(Optional.empty(), client.openSource("other"));
        }
    }

    private Endpoint start(String address, @Nullable Path token, long deadlineNs, int memory) throws IOException {
        server = IngestServer.start(
                Endpoint.parse(address),
                () -> writable ? Optional.of(writer) : Optional.empty(),
                new SchemaRequests(this::schema, id -> false, new SchemaRequests.Changes("", true)),
                InFlightBudget.open(temp, memory),
                ServerProtection.builder().tokenFile(token).build(),
                failure -> {},
                deadlineNs);
        return server.port() >= 0 ? Endpoint.parse("127.0.0.1:" + server.port()) : Endpoint.parse(address);
    }

    private SchemaAccess schema() {
        RuntimeException now = failing;
        if (now != null) {
            throw now;
        }
        return new StoreSchema(writer.loom());
    }

    private Endpoint start() throws IOException {
        return start("127.0.0.1:0", null, DEADLINE_NS, 1 << 20);
    }

    private long records(int source) {
        try (Snapshot snapshot = writer.loom().snapshot()) {
            return snapshot.statistics(source).records();
        }
    }

    private static int push(IngestClient client, int source, byte[]... payloads) {
        int[] lengths = new int[payloads.length];
        ByteBuffer bytes = ByteBuffer.allocate(1 << 20);
        for (int i = 0; i < payloads.length; i++) {
            lengths[i] = payloads[i].length;
            bytes.put(payloads[i]);
        }
        return client.push(source, new UnsafeBuffer(bytes.array()), lengths, lengths.length, () -> false);
    }

    /** Says how it numbers records: source's stream, then sequence. */
    private static byte[] numbered(int stream, int sequence, int length) {
        byte[] payload = new byte[8 + length];
        ByteBuffer.wrap(payload).putInt(stream).putInt(sequence);
        for (int i = 0; i < length; i++) {
            payload[8 + i] = (byte) (stream * 31 + sequence + i);
        }
        return payload;
    }

    @Test
    void shouldTakeEveryRecordOfSeveralStreamsInItsOrder() throws Exception {
        shouldTakeEveryRecordOf(start());
    }

    @Test
    void shouldTakeEveryRecordThroughAUnixSocket() throws Exception {
        Path path = temp.resolve("ingest.sock");
        Endpoint name = start("unix:" + path, null, DEADLINE_NS, 1 << 20);
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
        shouldTakeEveryRecordOf(name);
        server.close();
        assertFalse(Files.exists(path));
    }

    private void shouldTakeEveryRecordOf(Endpoint name) throws Exception {
        long seed = Long.getLong("loom.test.seed", System.nanoTime());
        System.out.println("-Dloom.test.seed=" + seed);
        int streams = 3;
        int[] counts = new int[streams];
        ExecutorService threads = Executors.newFixedThreadPool(streams);
        List<Callable<Integer>> clients = new ArrayList<>();
        for (int stream = 0; stream < streams; stream++) {
            int number = stream;
            clients.add(() -> stream(name, number, new Random(seed + number)));
        }
        List<Future<Integer>> sent = threads.invokeAll(clients);
        for (int stream = 0; stream < streams; stream++) {
            counts[stream] = sent.get(stream).get();
        }
        threads.shutdown();
        int source = writer.loom().source("shared").orElseThrow().id();
        int[] next = new int[streams];
        try (Snapshot snapshot = writer.loom().snapshot();
                QueryCursor cursor =
                        RawScan.of(snapshot, source).order(Order.OLDEST_FIRST).open()) {
            while (cursor.next()) {
                byte[] payload = new byte[cursor.length()];
                cursor.buffer().getBytes(cursor.offset(), payload);
                int stream = ByteBuffer.wrap(payload).getInt();
                assertArrayEquals(numbered(stream, next[stream]++, payload.length - 8), payload);
            }
        }
        assertArrayEquals(counts, next);
        assertEquals(
                counts[0] + counts[1] + counts[2], server.counters().records.sum());
    }

    private static int stream(Endpoint name, int stream, Random random) {
        int sequence = 0;
        try (IngestClient client = IngestClient.connect(name, "")) {
            int source =
                    client.defineSource("shared", Formats.bytes(), Map.of()).id();
            for (int batch = 0; batch < 200; batch++) {
                byte[][] payloads = new byte[random.nextInt(50)][];
                for (int i = 0; i < payloads.length; i++) {
                    int length = random.nextInt(100) == 0 ? random.nextInt(100_000) : random.nextInt(200);
                    payloads[i] = numbered(stream, sequence + i, length);
                }
                int taken = push(client, source, payloads);
                assertEquals(payloads.length, taken);
                sequence += taken;
            }
        }
        return sequence;
    }

    @Test
    void shouldAnswerWhatTheSchemaHas() throws IOException {
        try (IngestClient client = IngestClient.connect(start(), "")) {
            assertTrue(client.openSource("a").isEmpty());
            int id = client.defineSource("a", Formats.parse("struct:v:i64"), Map.of("k", "\"x\""))
                    .id();
            assertEquals(id, client.openSource("a").orElseThrow().id());
            assertEquals(
                    Map.of("k", "\"x\""), client.openSource("a").orElseThrow().attributes());
            assertFalse(
                    client.defineIndex("a", "v", "log-linear", List.of(), false).existed());
            assertTrue(
                    client.defineIndex("a", "v", "log-linear", List.of(), false).existed());
            assertThrows(RefusedException.class, () -> client.defineIndex("a", "w", "log-linear", List.of(), false));
            assertThrows(RefusedException.class, () -> client.defineSource("a", Formats.bytes(), Map.of()));
            client.closeIndex("a", "v");
            assertThrows(RefusedException.class, () -> client.closeIndex("a", "v"));
            assertEquals(8, push(client, id, new byte[8]) * 8);
            client.closeSource("a");
            SidecarException failure = assertThrows(SidecarException.class, () -> push(client, id, new byte[8]));
            assertTrue(String.valueOf(failure.getMessage()).contains("closed"), failure.getMessage());
            assertEquals(1, records(id));
        }
    }

    @Test
    void shouldAdmitNobodyWithoutTheToken() throws IOException {
        Path token = Files.writeString(temp.resolve("token"), "secret\n");
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-r--r--"));
        assertThrows(IOException.class, () -> start("127.0.0.1:0", token, DEADLINE_NS, 1 << 20), "others can read it");
        Files.setPosixFilePermissions(token, PosixFilePermissions.fromString("rw-------"));
        Endpoint name = start("127.0.0.1:0", token, DEADLINE_NS, 1 << 20);
        assertThrows(RefusedException.class, () -> IngestClient.connect(name, ""));
        assertThrows(RefusedException.class, () -> IngestClient.connect(name, "secret2"));
        IngestClient.connect(name, "secret").close();
    }

    @Test
    void shouldRefuseAnAddressThatIsTaken() throws IOException {
        Endpoint name = start();
        assertThrows(IOException.class, () -> start(name.toString(), null, DEADLINE_NS, 1));
        Path path = Files.createFile(temp.resolve("file"));
        assertThrows(IOException.class, () -> start("unix:" + path, null, DEADLINE_NS, 1));
        assertTrue(Files.exists(path));
    }

    /** A connection of which each byte is the test's. */
    private static final class RawClient implements AutoCloseable {
        private final Socket socket;
        private final DataInputStream in;

        RawClient(Endpoint name) throws IOException {
            socket = new Socket(name.host(), name.port());
            in = new DataInputStream(socket.getInputStream());
        }

        RawClient send(int type, byte[] body) throws IOException {
            socket.getOutputStream().write(frame(type, body));
            return this;
        }

        RawClient hello() throws IOException {
            send(FrameDescriptor.HELLO, HELLO.getBytes(StandardCharsets.UTF_8));
            assertEquals(FrameDescriptor.DONE, answer().type);
            return this;
        }

        Answer answer() throws IOException {
            byte[] header = in.readNBytes(FrameDescriptor.HEADER_LENGTH);
            ByteBuffer fields = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
            return new Answer(fields.getInt(4), in.readNBytes(fields.getInt(0)));
        }

        void requireEnd() throws IOException {
            assertEquals(-1, in.read());
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private static final class Answer {
        private final int type;
        private final ByteBuffer body;

        Answer(int type, byte[] body) {
            this.type = type;
            this.body = ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN);
        }

        int taken() {
            return body.getInt(0);
        }

        String reason() {
            return new String(body.array(), 8, body.capacity() - 8, StandardCharsets.UTF_8);
        }
    }

    private static byte[] frame(int type, byte[] body) {
        return ByteBuffer.allocate(8 + body.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(body.length)
                .putInt(type)
                .put(body)
                .array();
    }

    private static ByteBuffer group(int source, int reserved, int count, int... lengths) {
        ByteBuffer group = ByteBuffer.allocate(1_000).order(ByteOrder.LITTLE_ENDIAN);
        group.putShort((short) source).putShort((short) reserved).putInt(count);
        for (int length : lengths) {
            group.putInt(length);
        }
        return group;
    }

    private static byte[] bytes(ByteBuffer group) {
        byte[] bytes = new byte[group.position()];
        group.flip().get(bytes);
        return bytes;
    }

    @Test
    void shouldTakeNothingOfABatchThatIsMalformed() throws IOException {
        Endpoint name = start();
        int id = writer.loom().defineSource("a", Formats.bytes());
        int max = writer.loom().payloadLengthMax();
        ByteBuffer good = group(id, 0, 1, 8).putLong(1);
        List<ByteBuffer> bad = List.of(
                good.duplicate().order(ByteOrder.LITTLE_ENDIAN).put((byte) 1),
                good.duplicate().order(ByteOrder.LITTLE_ENDIAN).putShort((short) id),
                group(id, 1, 0),
                group(id, 0, -1),
                group(id, 0, FrameDescriptor.GROUP_RECORDS_MAX + 1),
                group(id, 0, 2, 8).putLong(1),
                group(id, 0, 1, 9).putLong(1),
                group(id, 0, 1, -1).putLong(1),
                group(id, 0, 1, max + 1).putLong(1),
                group(id, 0, 2, Integer.MAX_VALUE, Integer.MAX_VALUE));
        for (ByteBuffer batch : bad) {
            try (RawClient client = new RawClient(name)) {
                Answer answer =
                        client.hello().send(FrameDescriptor.BATCH, bytes(batch)).answer();
                assertEquals(FrameDescriptor.REFUSED, answer.type);
                assertEquals(0, answer.taken());
                assertTrue(answer.reason().startsWith("batch is malformed"), answer.reason());
                client.requireEnd();
            }
        }
        assertEquals(0, records(id));
    }

    @Test
    void shouldGoOnAfterABatchForASourceThatIsNot() throws IOException {
        try (RawClient client = new RawClient(start()).hello()) {
            int id = writer.loom().defineSource("a", Formats.bytes());
            Answer answer = client.send(FrameDescriptor.BATCH, bytes(group(id + 1, 0, 1, 0)))
                    .answer();
            assertEquals(FrameDescriptor.REFUSED, answer.type);
            assertEquals("no open source: id=" + (id + 1), answer.reason());
            assertEquals(
                    FrameDescriptor.TAKEN,
                    client.send(FrameDescriptor.BATCH, bytes(group(id, 0, 2, 0, 0)))
                            .answer()
                            .type);
            assertEquals(2, records(id));
            assertEquals(
                    FrameDescriptor.TAKEN,
                    client.send(FrameDescriptor.BATCH, new byte[0]).answer().type);
        }
    }

    @Test
    void shouldEndConnectionsThatDoNotKeepToTheProtocol() throws IOException {
        Endpoint name = start();
        byte[] hello = HELLO.getBytes(StandardCharsets.UTF_8);
        requireEnd(new RawClient(name).send(FrameDescriptor.BATCH, new byte[0]));
        requireEnd(
                new RawClient(name).send(FrameDescriptor.HELLO, "{\"protocol\":2}".getBytes(StandardCharsets.UTF_8)));
        requireEnd(new RawClient(name).send(FrameDescriptor.HELLO, "[".getBytes(StandardCharsets.UTF_8)));
        requireEnd(new RawClient(name).send(FrameDescriptor.HELLO, new byte[FrameDescriptor.TEXT_LENGTH_MAX + 1]));
        requireEnd(new RawClient(name).hello().send(FrameDescriptor.HELLO, hello));
        requireEnd(new RawClient(name).hello().send(99, hello));
        RawClient tooLong = new RawClient(name).hello();
        tooLong.socket
                .getOutputStream()
                .write(ByteBuffer.allocate(8)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putInt(FrameDescriptor.BATCH_LENGTH_MAX + 1)
                        .putInt(FrameDescriptor.BATCH)
                        .array());
        requireEnd(tooLong);
        assertEquals(7, server.counters().refusals.sum());
    }

    private static void requireEnd(RawClient client) throws IOException {
        try (client) {
            Answer answer = client.answer();
            assertEquals(FrameDescriptor.REFUSED, answer.type);
            try {
                client.requireEnd();
            } catch (IOException e) {
                // reset, as it had not read all
            }
        }
    }

    @Test
    void shouldEndAConnectionThatIsSlowWithinAFrameAndKeepOneThatWaits() throws IOException {
        Endpoint name = start("127.0.0.1:0", null, TimeUnit.SECONDS.toNanos(2), 1 << 20);
        int id = writer.loom().defineSource("a", Formats.bytes());
        try (RawClient waits = new RawClient(name).hello();
                RawClient silent = new RawClient(name);
                RawClient slow = new RawClient(name).hello()) {
            slow.socket.getOutputStream().write(frame(FrameDescriptor.BATCH, new byte[100]), 0, 20);
            assertThrows(IOException.class, () -> endOrFail(slow));
            assertThrows(IOException.class, () -> endOrFail(silent));
            assertEquals(
                    FrameDescriptor.TAKEN,
                    waits.send(FrameDescriptor.BATCH, bytes(group(id, 0, 1, 0))).answer().type);
        }
    }

    private static void endOrFail(RawClient client) throws IOException {
        if (client.in.read() < 0) {
            throw new IOException("ended");
        }
    }

    @Test
    void shouldEndTheFrameUnderWayWhenClosed() throws Exception {
        Endpoint name = start();
        int id = writer.loom().defineSource("a", Formats.bytes());
        byte[] frame = frame(FrameDescriptor.BATCH, bytes(group(id, 0, 1, 8).putLong(1)));
        try (RawClient busy = new RawClient(name).hello();
                RawClient idle = new RawClient(name).hello()) {
            assertTrue(writer.acquire(Duration.ofNanos(DEADLINE_NS)));
            busy.socket.getOutputStream().write(frame);
            Thread closing = new Thread(server::close);
            closing.start();
            assertThrows(IOException.class, () -> endOrFail(idle));
            writer.release();
            // either it had begun, and is acknowledged, or it is as if it had not been sent
            boolean acknowledged;
            try {
                acknowledged = busy.answer().type == FrameDescriptor.TAKEN;
            } catch (IOException | IndexOutOfBoundsException e) {
                acknowledged = false;
            }
            closing.join();
            assertTrue(!acknowledged || records(id) == 1);
        }
    }
}
