package dev.loom.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.StoreVerifier;
import dev.loom.api.Snapshot;
import dev.loom.filter.UnitFiles.UnitFile;
import dev.loom.format.Formats;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Files of sound blocks whose units lack a word of one of their records: a verification names them, and a repair builds them again. */
final class UnitAuditTest {
    private static final long SEED = Long.getLong("loom.test.seed", System.nanoTime());
    private static final int RECORDS = 40_000;
    private static final int PARTS = 20;

    private final Random random = new Random(SEED);

    @TempDir
    Path temp;

    private Path store = Path.of("");

    @BeforeEach
    void makeStore() {
        System.out.println("UnitAuditTest: -Dloom.test.seed=" + SEED);
        store = temp.resolve("store");
        try (Loom loom = Loom.open(config())) {
            int source = loom.defineSource("lines", Formats.text());
            int other = loom.defineSource("other", Formats.json());
            for (int i = 0; i < RECORDS; i++) {
                push(loom, source, "request " + random.nextInt(1_000_000) + " at host" + random.nextInt(20) + " é" + i);
                if (i % 9 == 0) {
                    push(loom, other, "{\"body\":\"took " + i + (i % 90 == 0 ? "" : "\"}"));
                }
                if (i % (RECORDS / PARTS) == 0) { // ends a unit, so that sixteen of them are put together
                    assertTrue(loom.finishTextIndex((done, total) -> true));
                }
            }
            assertTrue(loom.finishTextIndex((done, total) -> true));
        }
    }

    private static void push(Loom loom, int source, String line) {
        assertTrue(loom.push(source, line.getBytes(StandardCharsets.UTF_8)) >= 0);
    }

    private LoomConfig config() {
        return LoomConfig.at(store).textIndexShare(1).build();
    }

    private List<String> problems() {
        List<String> problems = new ArrayList<>();
        StoreVerifier.verify(store, (file, offset, message) -> problems.add(file.getFileName() + ": " + message));
        return problems;
    }

    private long storeId() {
        try (LoomReader reader = LoomReader.attach(store)) {
            return reader.info().storeId();
        }
    }

    private UnitFiles files() {
        return new UnitFiles(Storage.DISK, store.resolve(UnitFiles.FOLDER));
    }

    /** A change of a piece that a unit has of a part; false if nothing is changed. */
    private interface Change {
        boolean apply(MutableDirectBuffer pieces, int offset, int length);
    }

    /** A unit that was changed. */
    private record Forged(UnitFile file, int unit) {}

    /** Changes a piece of a part of any unit that has one to change: the first ones have no frequent words. Without a part, a list. */
    private Forged forge(@Nullable UnitPart part, Change change) throws IOException {
        List<UnitFile> all = new ArrayList<>(files().all());
        assertTrue(all.stream().anyMatch(file -> file.units() > 1), () -> "no units were put together: " + all);
        Collections.shuffle(all, random);
        for (UnitFile file : all) {
            int first = random.nextInt(file.units());
            for (int i = 0; i < file.units(); i++) {
                int unit = (first + i) % file.units();
                if (forge(file, unit, part, change)) {
                    return new Forged(file, unit);
                }
            }
        }
        throw new AssertionError("no unit can be changed: part=" + part);
    }

    /** Writes the file again, with a piece of a unit's part changed; false if there was none to change. */
    private boolean forge(UnitFile file, int chosen, @Nullable UnitPart part, Change change) throws IOException {
        Path forged = temp.resolve("forged");
        long storeId = storeId();
        boolean[] changed = {false};
        int[] shortened = {-1};
        try (UnitGroup group = UnitGroup.open(
                        Storage.DISK.openToRead(file.path()),
                        storeId,
                        file.sourceId(),
                        file.start(),
                        BlockReader.newBlocks());
                LoomFile into = Storage.DISK.openToWrite(forged, false)) {
            List<TokenUnit> units = new ArrayList<>();
            for (int i = 0; i < group.units(); i++) {
                TokenUnit unit = group.unit(i);
                int number = i;
                units.add(new TokenUnit() {
                    @Override
                    public UnitShape shape() {
                        return unit.shape();
                    }

                    @Override
                    public UnitExtent extent() {
                        return unit.extent();
                    }

                    @Override
                    public void copy(UnitPart copied, int first, int pieces, MutableDirectBuffer buffer, int offset) {
                        unit.copy(copied, first, pieces, buffer, offset);
                        for (int j = 0; copied == part && number == chosen && !changed[0] && j < pieces; j++) {
                            int length = part.pieceLength(shape());
                            changed[0] = change.apply(buffer, offset + j * length, length);
                        }
                    }

                    @Override
                    public int copyList(int list, MutableDirectBuffer into, int offset) {
                        int rows = unit.copyList(list, into, offset);
                        if (part == null && number == chosen && rows > 0 && shortened[0] < 0) {
                            shortened[0] = list;
                            changed[0] = true;
                        }
                        return list == shortened[0] && number == chosen ? rows - 1 : rows;
                    }
                });
            }
            UnitGroupWriter.write(into, storeId, file.sourceId(), group.contents(), units);
        }
        Files.move(forged, file.path(), StandardCopyOption.REPLACE_EXISTING);
        return changed[0];
    }

    @Test
    void shouldFindNothingInSoundUnits() {
        assertEquals(List.of(), problems());
    }

    @ParameterizedTest
    @EnumSource
    void shouldNameAUnitThatLacksAWordUntilItIsRepaired(UnitPart part) throws IOException {
        Forged forged = forge(part, (pieces, offset, length) -> {
            switch (part) {
                case FREQUENT_FIELDS, RARE_FIELDS, PREFIX_FIELDS -> {
                    long field = pieces.getLong(offset);
                    pieces.putLong(offset, field & field - 1);
                    return field != 0;
                }
                case FREQUENT_COUNTS -> {
                    short count = pieces.getShort(offset, ByteOrder.LITTLE_ENDIAN);
                    pieces.putShort(offset, (short) (count - 1), ByteOrder.LITTLE_ENDIAN);
                    return count != 0;
                }
            }
            throw new AssertionError(part);
        });
        assertNamedUntilRepaired(forged, part.name());
    }

    @Test
    void shouldNameAUnitWhoseListLacksARowUntilItIsRepaired() throws IOException {
        assertNamedUntilRepaired(forge(null, (pieces, offset, length) -> false), "RARE_LISTS");
    }

    private void assertNamedUntilRepaired(Forged forged, String part) {
        List<String> problems = problems();
        assertEquals(1, problems.size(), problems::toString);
        assertTrue(
                problems.get(0)
                                .startsWith(forged.file().path().getFileName()
                                        + ": unit lacks words of its records: unit=" + forged.unit())
                        && problems.get(0).endsWith("part=" + part),
                problems::toString);
        StoreVerifier.Repaired repaired =
                StoreVerifier.repair(store, (path, offset, reason, copy) -> {}, (done, total) -> true);
        assertEquals(new StoreVerifier.Repaired(null, false), repaired);
        assertEquals(List.of(), problems());
        try (Loom loom = Loom.open(config())) {
            assertTrue(loom.finishTextIndex((done, total) -> true));
            try (Snapshot snapshot = loom.snapshot()) {
                for (int source = 1; source <= 2; source++) {
                    assertEquals(0, snapshot.textIndex(source).orElseThrow().recordsLeft());
                }
            }
        }
        assertEquals(List.of(), problems());
    }

    /** It costs reads and misses nothing. */
    @Test
    void shouldBearAUnitThatHasMoreThanItsRecords() throws IOException {
        forge(UnitPart.RARE_FIELDS, (pieces, offset, length) -> {
            pieces.setMemory(offset, length, (byte) 0xFF);
            return true;
        });
        assertEquals(List.of(), problems());
    }

    /** A file may say that its units are of any size: no memory is taken for what nobody builds. */
    @Test
    void shouldLeaveOutAUnitThatIsLargerThanAnyThatIsBuilt() throws IOException {
        UnitFile file = files().all().get(0);
        long storeId = storeId();
        Path forged = temp.resolve("forged");
        try (UnitGroup group = UnitGroup.open(
                        Storage.DISK.openToRead(file.path()),
                        storeId,
                        file.sourceId(),
                        file.start(),
                        BlockReader.newBlocks());
                LoomFile into = Storage.DISK.openToWrite(forged, false)) {
            UnitExtent only = group.extent(0);
            TokenUnit empty = new TokenUnit() {
                @Override
                public UnitShape shape() {
                    return UnitShape.filterAlone(26);
                }

                @Override
                public UnitExtent extent() {
                    return only;
                }

                @Override
                public void copy(UnitPart part, int first, int pieces, MutableDirectBuffer buffer, int offset) {
                    buffer.setMemory(offset, pieces * part.pieceLength(shape()), (byte) 0);
                }

                @Override
                public int copyList(int list, MutableDirectBuffer into, int offset) {
                    return 0;
                }
            };
            UnitGroupWriter.write(into, storeId, file.sourceId(), group.contents(), List.of(empty));
            Files.delete(file.path());
            Files.move(forged, files().path(file.sourceId(), only.start(), only.end(), 1));
        }
        assertEquals(List.of(), problems());
    }

    /** Units of records that can't be read any more can't be compared, nor can those beside them be accused. */
    @Test
    void shouldAccuseNoUnitOfDamagedRecords() throws IOException {
        Path segment;
        try (Stream<Path> segments = Files.list(store.resolve("record"))) {
            segment = segments.sorted().findFirst().orElseThrow();
        }
        byte[] bytes = Files.readAllBytes(segment);
        for (int page = 0; page < bytes.length >> 16; page += 1 + random.nextInt(10)) {
            bytes[(page << 16) + 100] ^= 1;
        }
        Files.write(segment, bytes);
        List<String> problems = problems();
        assertTrue(
                !problems.isEmpty() && problems.stream().noneMatch(problem -> problem.contains("unit")),
                problems::toString);
    }
}
