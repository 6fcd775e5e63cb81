package dev.loom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.api.Bins;
import dev.loom.api.Eviction;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.error.StoreIoException;
import dev.loom.error.StoreNotFoundException;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What opening makes, tries and takes away. */
final class OpeningTest {
    private static final PayloadFormat FORMAT = Formats.parse("struct:value:i64");

    @TempDir
    Path temp;

    private LoomConfig.Builder config(Path store, Storage storage) {
        return LoomConfig.at(store)
                .recordRingBytes(LoomConfig.RING_BYTES_MIN)
                .timeRingBytes(LoomConfig.RING_BYTES_MIN)
                .chunkRingBytes(LoomConfig.RING_BYTES_MIN)
                .storage(storage);
    }

    private static void fill(Loom loom, int records) {
        int source = loom.defineSource("events", FORMAT);
        loom.defineIndex(source, "value", IndexFunction.field(FORMAT, "value"), Bins.logLinear());
        for (int i = 0; i < records; i++) {
            assertTrue(loom.push(source, new byte[] {(byte) i, 0, 0, 0, 0, 0, 0, 0}) >= 0);
        }
    }

    /** A program may make an index' function of its new format, though the source still has the old one. */
    @Test
    void shouldReadIndexedFieldsAsTheSourceHasThem() {
        PayloadFormat old = Formats.parse("struct:value:i64,name:utf8");
        PayloadFormat changed = Formats.parse("struct:start:i64,value:i64,name:utf8");
        try (Loom loom = Loom.open(config(temp.resolve("store"), Storage.DISK).build())) {
            int source = loom.defineSource("events", old);
            loom.defineIndex(source, "value", IndexFunction.field(changed, "value"), Bins.logLinear());
            assertEquals(
                    old.fixedField("value"), loom.indexes().get(0).function().fixedField());
            IndexFunction ofJson = IndexFunction.field(Formats.json(), "name");
            assertThrows(
                    IllegalArgumentException.class, () -> loom.defineIndex(source, "name", ofJson, Bins.logLinear()));
            IndexFunction start = IndexFunction.field(changed, "start");
            assertThrows(
                    IllegalArgumentException.class, () -> loom.defineIndex(source, "start", start, Bins.logLinear()));
            assertEquals(1, loom.indexes().size());
        }
    }

    @Test
    void shouldMakeTheNamesOfAllNewDirectoriesDurable() {
        Set<Path> synced = new HashSet<>();
        Storage storage = new HookedStorage() {
            @Override
            public void syncDirectory(Path directory) {
                synced.add(directory);
                super.syncDirectory(directory);
            }
        };
        Path store = temp.resolve("a/b/c/store");
        Loom.open(config(store, storage).build()).close();
        for (Path directory = store; !directory.equals(temp.getParent()); directory = directory.getParent()) {
            assertTrue(synced.contains(directory), "synced=" + synced + ", missing=" + directory);
        }
    }

    private Eviction eviction(Eviction asked, boolean directFails, boolean cachedFails) {
        Storage storage = new HookedStorage() {
            @Override
            protected void onWrite(Path file, long position, boolean direct) {
                if (file.endsWith("direct.trial") && (direct ? directFails : cachedFails)) {
                    throw new StoreIoException("injected failure: file=" + file + ", direct=" + direct, null);
                }
            }
        };
        Path store = temp.resolve("store");
        try (Loom loom = Loom.open(config(store, storage).eviction(asked).build())) {
            return loom.info().session().orElseThrow().eviction();
        } finally {
            assertTrue(Files.notExists(store.resolve("record/direct.trial")));
        }
    }

    @Test
    void shouldGoPastThePageCacheWhenADiskWithoutRoomLeavesItOpen() {
        assertEquals(Eviction.DIRECT, eviction(Eviction.AUTO, false, false));
        assertEquals(Eviction.DIRECT, eviction(Eviction.AUTO, true, true), "the disk fails, not direct I/O");
        assertEquals(Eviction.DIRECT, eviction(Eviction.DIRECT, true, true));
        assertEquals(Eviction.PAGE_CACHE, eviction(Eviction.AUTO, true, false));
        assertThrows(StoreIoException.class, () -> eviction(Eviction.DIRECT, true, false));
        assertEquals(Eviction.PAGE_CACHE, eviction(Eviction.PAGE_CACHE, true, true));
    }

    /** Rings lie at pages of memory, of 4 KiB. */
    @Test
    void shouldUseThePageCacheWhereBlocksAreLongerThanPagesOfMemory() {
        Storage storage = new HookedStorage() {
            @Override
            protected void onWrite(Path file, ByteBuffer source, long position, boolean direct) {
                if (direct && source.alignmentOffset(source.position(), 16_384) != 0) {
                    IOException refused = new IOException("Memory address is not aligned");
                    throw new StoreIoException("injected failure: file=" + file + ", reason=" + refused, refused);
                }
            }
        };
        try (Loom loom = Loom.open(
                config(temp.resolve("store"), storage).recordRingBytes(1 << 20).build())) {
            assertEquals(
                    Eviction.PAGE_CACHE, loom.info().session().orElseThrow().eviction());
            String why = loom.info().writer().orElseThrow().evictionFallback().orElseThrow();
            assertTrue(why.contains("not aligned"), why);
            fill(loom, 50_000);
            loom.force();
            assertEquals(0, loom.info().session().orElseThrow().writeFailures());
        }
    }

    @Test
    void shouldSayWhyWhenDirectIoCanNotBeTried() {
        Storage storage = new HookedStorage() {
            @Override
            public LoomFile openToWrite(Path file, boolean direct) {
                if (file.endsWith("direct.trial")) {
                    throw new StoreIoException("injected failure: no inode left: file=" + file);
                }
                return super.openToWrite(file, direct);
            }
        };
        Path store = temp.resolve("store");
        try (Loom loom = Loom.open(config(store, storage).build())) {
            assertEquals(
                    Eviction.PAGE_CACHE, loom.info().session().orElseThrow().eviction());
            String why = loom.info().writer().orElseThrow().evictionFallback().orElseThrow();
            assertTrue(why.contains("no inode left"), why);
        }
        try (Loom loom =
                Loom.open(config(store, storage).eviction(Eviction.PAGE_CACHE).build())) {
            assertEquals(
                    Eviction.PAGE_CACHE, loom.info().session().orElseThrow().eviction());
            assertEquals(Optional.empty(), loom.info().writer().orElseThrow().evictionFallback());
        }
    }

    /** Where a session's staging lies on memory that a snapshot keeps, even if it is deleted. */
    @Test
    void shouldGoOnWhenSnapshotsLeaveNoRoomToRebuildIndexes() {
        Path staging = temp.resolve("staging");
        Storage storage = new HookedStorage() {
            @Override
            public long usableSpace(Path directory) {
                return list(staging).isEmpty() ? 16 << 20 : 1 << 10;
            }
        };
        try (Loom loom = Loom.open(
                config(temp.resolve("store"), storage).stagingDirectory(staging).build())) {
            fill(loom, 1_000);
            int source = loom.sources().get(0).id();
            try (Snapshot snapshot = loom.snapshot()) {
                StoreIoException e = assertThrows(StoreIoException.class, loom::rebuildIndexes);
                assertTrue(e.getMessage().contains("needed=") && e.getMessage().contains("free=1024"), e.getMessage());
                assertTrue(loom.push(source, new byte[Long.BYTES]) >= 0);
                assertEquals(1_000, snapshot.statistics(source).records());
            }
            // the room that it has is free once it has ended
            loom.rebuildIndexes();
            assertTrue(loom.push(source, new byte[Long.BYTES]) >= 0);
            try (Snapshot snapshot = loom.snapshot()) {
                assertEquals(1_002, snapshot.statistics(source).records());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldLeaveNoClaimWhenItFailsBeforeAMarkMayNameIt(boolean killed) throws IOException {
        Path store = temp.resolve("store");
        Path obstacle = Files.createFile(temp.resolve("obstacle"));
        AtomicBoolean refusing = new AtomicBoolean();
        Storage storage = new HookedStorage() {
            @Override
            protected void onWrite(Path file, long position, boolean direct) {
                if (refusing.get()) {
                    throw new StoreIoException("injected failure: file=" + file);
                }
            }
        };
        Loom first = Loom.open(config(store, storage).build());
        fill(first, 100);
        if (killed) {
            refusing.set(true);
            assertThrows(StoreIoException.class, first::close);
        } else {
            first.close();
        }
        List<Path> claims = Storage.DISK.list(store.resolve("owner"));
        LoomConfig unable = config(store, Storage.DISK)
                .stagingDirectory(obstacle.resolve("staging"))
                .build();
        for (int i = 0; i < 3; i++) {
            assertThrows(StoreIoException.class, () -> Loom.open(unable));
            assertEquals(claims, Storage.DISK.list(store.resolve("owner")));
        }
        Loom.open(config(store, Storage.DISK).build()).close();
        assertEquals(List.of(), Storage.DISK.list(store.resolve("owner")));
    }

    /** As where a directory above may not be searched, which stops no root. */
    @Test
    void shouldSayWhyAStoreCanNotBeLookedForInPlaceOfThatThereIsNone() throws IOException {
        Path loop = temp.resolve("loop");
        Files.createSymbolicLink(loop, loop);
        for (Path store : List.of(loop.resolve("store"), temp.resolve("x".repeat(300)))) {
            StoreIoException e = assertThrows(StoreIoException.class, () -> LoomReader.attach(store));
            assertTrue(
                    String.valueOf(e.getMessage()).startsWith("file can't be looked at: file=" + store), e::toString);
        }
        assertThrows(StoreNotFoundException.class, () -> LoomReader.attach(temp.resolve("none")));
        assertThrows(IllegalArgumentException.class, () -> LoomReader.attach(temp.resolve("none"), null, -1));
    }

    @Test
    void shouldDeleteWhatARemovalOfIndexesHasLeft() throws IOException {
        Path store = temp.resolve("store");
        try (Loom loom = Loom.open(config(store, Storage.DISK).build())) {
            fill(loom, 50_000);
        }
        List<Path> before = indexFiles(store);
        assertEquals(2, before.size(), () -> "files=" + before);
        Storage refuses = new HookedStorage() {
            @Override
            public void delete(Path file) {
                if (before.contains(file)) {
                    throw new StoreIoException("injected failure: file=" + file, null);
                }
                super.delete(file);
            }
        };
        // nothing refers to them any more, so that they keep nobody from writing
        Loom.open(config(store, refuses).rebuildIndexes(true).build()).close();
        assertTrue(indexFiles(store).containsAll(before), () -> "files=" + before);
        Loom.open(config(store, Storage.DISK).build()).close();
        List<Path> after = indexFiles(store);
        assertEquals(2, after.size(), () -> "files=" + after);
        assertTrue(after.stream().noneMatch(before::contains), () -> "files=" + after);
        assertEquals(
                0, StoreVerifier.verify(store, (file, offset, message) -> {}).problems());
    }

    private static List<Path> indexFiles(Path store) throws IOException {
        List<Path> files = new ArrayList<>();
        for (String folder : List.of("time", "chunk")) {
            try (Stream<Path> entries = Files.list(store.resolve(folder))) {
                entries.sorted().forEach(files::add);
            }
        }
        return files;
    }
}
