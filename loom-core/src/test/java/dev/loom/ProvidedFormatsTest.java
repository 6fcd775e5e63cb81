package dev.loom;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Bins;
import dev.loom.api.IndexFunction;
import dev.loom.api.RecordCursor;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.format.FailingFormatProvider;
import dev.loom.format.FieldlessFormatProvider;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.format.ProvidingLoader;
import dev.loom.format.ShiftedFormatProvider;
import dev.loom.format.UnknownFieldException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Formats that only one class loader finds, or whose provider fails. */
final class ProvidedFormatsTest {
    private static final ClassLoader KNOWING = new ProvidingLoader(ShiftedFormatProvider.class.getName());
    private static final ClassLoader FAILING = new ProvidingLoader(FailingFormatProvider.class.getName());
    private static final ClassLoader FIELDLESS = new ProvidingLoader(FieldlessFormatProvider.class.getName());
    private static final ClassLoader OURS = ProvidedFormatsTest.class.getClassLoader();

    @TempDir
    Path temp;

    private static <T> T with(ClassLoader loader, Supplier<T> call) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            return call.get();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private LoomConfig config() {
        return StoreAccess.small(temp.resolve("store")).build();
    }

    @BeforeEach
    void write() {
        PayloadFormat format = Formats.parse("shifted", KNOWING);
        try (Loom loom = Loom.open(with(KNOWING, this::config))) {
            int id = loom.defineSource("codes", format);
            loom.defineIndex(id, "code", IndexFunction.field(format, "code"), Bins.logLinear());
            assertTrue(loom.push(id, new byte[] {41}) > 0);
        }
    }

    private static PayloadFormat format(Store store) {
        return store.source("codes").map(Source::format).orElseThrow();
    }

    private static String failure(Store store) {
        return String.valueOf(format(store).failure());
    }

    private static List<byte[]> payloads(Store store) {
        List<byte[]> payloads = new ArrayList<>();
        try (Snapshot snapshot = store.snapshot();
                RecordCursor records = snapshot.newestFirst(1, 0, Long.MAX_VALUE)) {
            while (records.next()) {
                byte[] payload = new byte[records.length()];
                records.buffer().getBytes(records.offset(), payload);
                payloads.add(payload);
            }
        }
        return payloads;
    }

    @Test
    void shouldReadAsTheAttachingThreadDoesWhicheverAsks() {
        try (LoomReader reader = with(KNOWING, () -> LoomReader.attach(temp.resolve("store")))) {
            assertEquals("shifted", with(OURS, () -> format(reader)).text());
            assertEquals("shifted", with(KNOWING, () -> format(reader)).text());
        }
        try (LoomReader reader = with(OURS, () -> LoomReader.attach(temp.resolve("store")))) {
            assertEquals("bytes", with(KNOWING, () -> format(reader)).text());
            String reason = "unknown payload format: name=shifted, known=[bytes, json, reversed, struct, text, timed]";
            assertEquals(reason, with(KNOWING, () -> failure(reader)));
        }
        try (LoomReader reader = LoomReader.attach(temp.resolve("store"), KNOWING)) {
            assertEquals("shifted", format(reader).text());
        }
    }

    @Test
    void shouldWriteWithTheClassLoaderOfTheConfigurationWhicheverOpens() {
        LoomConfig config = with(KNOWING, this::config);
        assertEquals(KNOWING, config.classLoader());
        Recorder recorder = with(OURS, () -> Recorder.on(Loom.open(config)).start());
        try (recorder) {
            assertEquals("shifted", format(recorder).text());
            assertEquals(2, recorder.defineSource("more", Formats.parse("shifted:more", KNOWING)));
            assertTrue(recorder.rebuildIndexes(Duration.ofMinutes(5)));
            assertEquals("shifted", format(recorder).text());
            assertEquals(
                    "shifted:more",
                    recorder.source("more").orElseThrow().format().text());
        }
    }

    @Test
    void shouldOpenPushAndReadBytesWhenAProviderFails() {
        String reason = "payload format provider failed: format=shifted, provider="
                + "dev.loom.format.FailingFormatProvider, reason=java.lang.IllegalStateException: injected failure";
        try (Loom loom = Loom.open(with(FAILING, this::config))) {
            assertEquals(Formats.bytes(), format(loom));
            assertEquals(reason, failure(loom));
            assertTrue(loom.push(1, new byte[] {7, 8}) > 0);
            IllegalArgumentException undefined = assertThrows(
                    IllegalArgumentException.class, () -> loom.defineSource("more", Formats.parse("shifted", KNOWING)));
            assertEquals(
                    "the store's class loader makes no such format of its text: text=shifted, reason=" + reason,
                    undefined.getMessage());
        }
        try (LoomReader reader = with(FAILING, () -> LoomReader.attach(temp.resolve("store")))) {
            List<byte[]> payloads = payloads(reader);
            assertArrayEquals(new byte[] {7, 8}, payloads.get(0));
            assertArrayEquals(new byte[] {41}, payloads.get(1));
            UnknownFieldException unknown =
                    assertThrows(UnknownFieldException.class, () -> IndexFunction.field(format(reader), "code"));
            assertTrue(String.valueOf(unknown.getMessage()).endsWith(reason), unknown::getMessage);
        }
        List<String> problems = new ArrayList<>();
        with(
                FAILING,
                () -> StoreVerifier.verify(temp.resolve("store"), (file, offset, message) -> problems.add(message)));
        assertEquals(List.of(), problems);
    }

    @Test
    void shouldOpenAndReadWhereAFormatFailsThatIsAskedForItsFields() {
        try (Loom loom = Loom.open(with(FIELDLESS, this::config))) {
            assertTrue(loom.push(1, new byte[] {7, 8}) > 0);
            AssertionError failure = assertThrows(
                    AssertionError.class, () -> Formats.parse("timed:shifted", FIELDLESS), "the caller's own");
            assertEquals("injected failure", failure.getMessage());
            assertEquals(
                    "payload format failed: format=timed:shifted, reason=" + failure,
                    Formats.parseOrBytes("timed:shifted", FIELDLESS).failure());
        }
        try (LoomReader reader = LoomReader.attach(temp.resolve("store"), FIELDLESS)) {
            assertEquals(2, payloads(reader).size());
            assertEquals(List.of(), reader.indexes());
        }
        try (LoomReader reader = LoomReader.attach(temp.resolve("store"), KNOWING)) {
            assertTrue(reader.indexes().get(0).function().isReadable());
        }
    }

    @Test
    void shouldReadFieldsAgainOnceTheProviderWorks() {
        Loom.open(with(FAILING, this::config)).close();
        try (LoomReader reader = LoomReader.attach(temp.resolve("store"), KNOWING)) {
            assertEquals("shifted", format(reader).text());
            assertTrue(reader.indexes().get(0).function().isReadable());
        }
    }
}
