package dev.loom.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomReader;
import dev.loom.StoreVerifier;
import dev.loom.api.PushStatus;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.format.Formats;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The schema is gone, or its last entries are: verification says so, and sources keep their records, called by their ids. */
class LostSchemaTest {
    private static final long SEED = 31;
    private static final int RECORDS = 400;

    private final StoreOracle oracle = new StoreOracle(SEED, 2);
    private int[] ids = {};

    @TempDir
    Path temp;

    private Path store = Path.of("");

    @BeforeEach
    void makeStore() {
        store = temp.resolve("store");
        try (Loom loom = open()) {
            ids = oracle.define(loom);
            for (int i = 0; i < RECORDS; i++) {
                loom.push(ids[i % 2], CheckedPayload.make(SEED, i % 2, i / 2));
            }
        }
    }

    private Loom open() {
        return Loom.open(PushingProcess.config(store).build());
    }

    @Test
    void shouldCallSourcesByTheirIdsWhenTheSchemaIsGone() throws IOException {
        Files.delete(store.resolve("schema.log"));
        assertVerificationNames("file ends early: bytes=0");
        try (LoomReader reader = LoomReader.attach(store)) {
            assertSources(reader, "#1", "#2");
        }
        try (Loom loom = open()) {
            assertSources(loom, "#1", "#2");
            assertEquals(PushStatus.SOURCE_CLOSED, loom.push(1, CheckedPayload.make(SEED, 0, 200)));
            assertEquals(3, loom.defineSource("later", Formats.parse("bytes")));
        }
        try (LoomReader reader = LoomReader.attach(store)) {
            assertSources(reader, "#1", "#2", "later");
        }
        assertEquals(List.of(), problems());
    }

    @Test
    void shouldCallTheSourceByItsIdWhoseDefinitionIsCutOff() throws IOException {
        Path schema = store.resolve("schema.log");
        try (FileChannel file = FileChannel.open(schema, StandardOpenOption.WRITE)) {
            file.truncate(file.size() / 2);
        }
        assertFalse(problems().isEmpty(), "schema is half and nothing is said");
        try (LoomReader reader = LoomReader.attach(store)) {
            assertSources(reader, StoreOracle.name(0), "#2");
        }
        try (Loom loom = open()) {
            assertSources(loom, StoreOracle.name(0), "#2");
        }
    }

    private void assertSources(Store attached, String... names) {
        try (Snapshot snapshot = attached.snapshot()) {
            assertEquals(
                    List.of(names),
                    snapshot.sources().stream().map(Source::name).toList());
            for (int i = 0; i < ids.length; i++) {
                Source source = snapshot.source(names[i]).orElseThrow();
                assertEquals(ids[i], source.id());
                assertEquals(names[i].startsWith("#"), source.closed());
                assertRecords(snapshot, i);
            }
        }
    }

    private void assertRecords(Snapshot snapshot, int source) {
        try (QueryCursor cursor = RawScan.of(snapshot, ids[source]).open()) {
            for (long sequence = RECORDS / 2 - 1; sequence >= 0; sequence--) {
                assertTrue(cursor.next());
                assertEquals(
                        sequence,
                        CheckedPayload.check(SEED, source, cursor.buffer(), cursor.offset(), cursor.length()));
            }
            assertFalse(cursor.next());
            assertTrue(cursor.completeness().complete());
        }
    }

    private void assertVerificationNames(String problem) {
        assertTrue(
                problems().stream().anyMatch(found -> found.startsWith(problem)),
                () -> "expected=" + problem + ", problems=" + problems());
    }

    private List<String> problems() {
        List<String> problems = new ArrayList<>();
        StoreVerifier.verify(store, (file, offset, message) -> problems.add(message), (done, total) -> true);
        return problems;
    }
}
