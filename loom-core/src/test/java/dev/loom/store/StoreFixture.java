package dev.loom.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.StoreAccess;
import dev.loom.StoreVerifier;
import dev.loom.api.Bins;
import dev.loom.api.Index;
import dev.loom.api.IndexFunction;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.error.StoreIoException;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.index.IndexSummary;
import dev.loom.io.Storage;
import dev.loom.log.LogKind;
import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageState;
import dev.loom.record.DescendingChunks;
import dev.loom.record.PageRecords;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.io.TempDir;

/** A store of two sources, the first with an index, and what was pushed to them. Its writer is a session of this process. */
abstract class StoreFixture {
    static final int PAGE = PageDescriptor.PAGE_LENGTH;
    static final PayloadFormat FORMAT = Formats.parse("struct:v:i64,rest:bytes");
    static final long FIRST_TIME = 1_000_000_000_000_000_000L;
    static final int SEGMENT = 4 * PAGE;

    @TempDir
    Path temp;

    /** A record as pushed, or as found. */
    record Pushed(long address, int source, long timeNs, int length, long value) {}

    SwitchedDisk disk = new SwitchedDisk();
    final List<Pushed> pushed = new ArrayList<>();
    long clockNs = FIRST_TIME;
    Loom loom;

    Path store() {
        return temp.resolve("store");
    }

    Loom open(Storage storage, UnaryOperator<LoomConfig.Builder> more) {
        return StoreAccess.open(
                store(),
                storage,
                builder -> more.apply(builder.segmentBytes(SEGMENT)
                        .durabilityInterval(Duration.ofHours(1))
                        .durabilityBytes(1L << 40)
                        .clock(() -> clockNs++)));
    }

    Loom open() {
        return open(new SwitchedDisk(), builder -> builder);
    }

    void openFirst() {
        loom = open(disk, builder -> builder);
        assertEquals(1, loom.defineSource("first", FORMAT));
        assertEquals(2, loom.defineSource("second", FORMAT));
        loom.defineIndex(1, "value", IndexFunction.field(FORMAT, "v"), Bins.linear(0, 100, 10));
    }

    void push(int count) {
        for (int i = 0; i < count; i++) {
            int number = pushed.size();
            byte[] payload = new byte[Long.BYTES + number * 37 % 1500];
            ByteBuffer.wrap(payload).order(ByteOrder.LITTLE_ENDIAN).putLong(0, number);
            int source = 1 + number % 2;
            long address = loom.push(source, payload);
            assertTrue(address > 0);
            pushed.add(new Pushed(address, source, clockNs - 1, payload.length, number));
        }
    }

    /** What a killed writer leaves. */
    StoreImage kill() {
        disk.refuseChanges();
        StoreImage image = StoreImage.of(store());
        assertThrows(StoreIoException.class, loom::close);
        image.restore();
        return image;
    }

    /** As the mark is after the machine has started again. */
    void markEarlierBoot() {
        MarkFile file = new MarkFile(Storage.DISK, new StoreFiles(store()).mark());
        Mark mark = file.read();
        file.writeTwice(mark.owned(
                new Mark.Owner(mark.owner().process(), "earlier", mark.owner().host()),
                mark.sessionNonce(),
                mark.staging(),
                Rings.of(mark),
                Rings.of(mark),
                mark.indexState(),
                mark.file()));
    }

    /** All records in the log that are not Loom's own. */
    List<Pushed> found() {
        List<Pushed> found = new ArrayList<>();
        try (AttachedStore attached = AttachedStore.attach(store(), Storage.DISK)) {
            LogView log = attached.logs().records();
            long tail = log.watermarks().tailAcquire();
            try (PageRecords page = new PageRecords(log, tail, -1)) {
                for (long at = 0; at < tail; at += PAGE) {
                    assertEquals(PageState.PRESENT, page.read(at), "page=" + at);
                    while (page.next()) {
                        if (page.sourceId() > 0) {
                            long value = page.buffer().getLong(page.offset(), ByteOrder.LITTLE_ENDIAN);
                            found.add(new Pushed(page.address(), page.sourceId(), page.timeNs(), page.length(), value));
                        }
                    }
                }
            }
        }
        return found;
    }

    static void assertCounts(Snapshot snapshot, List<Pushed> expected) {
        for (int source = 1; source <= 2; source++) {
            int id = source;
            List<Pushed> own =
                    expected.stream().filter(each -> each.source() == id).toList();
            Source.Statistics statistics = snapshot.statistics(source);
            assertEquals(own.size(), statistics.records());
            assertEquals(own.stream().mapToLong(Pushed::length).sum(), statistics.bytes());
            assertEquals(own.get(0).timeNs(), statistics.firstTimeNs());
            assertEquals(own.get(own.size() - 1).timeNs(), statistics.lastTimeNs());
        }
    }

    /** The records that the chunks' summaries of the index count, with those of chunks without one. */
    static long indexed(Snapshot snapshot) {
        StoreSnapshot own = (StoreSnapshot) snapshot;
        Index index = own.indexes(1).get(0);
        IndexSummary summary = new IndexSummary();
        long count = 0;
        try (DescendingChunks chunks = new DescendingChunks(own.view(), 1, Long.MAX_VALUE)) {
            while (chunks.next()) {
                if (chunks.listed()) {
                    assertTrue(chunks.summary(index.id(), index.function().type(), summary));
                    count += summary.count();
                }
            }
        }
        return count;
    }

    void assertWhole(List<Pushed> expected) {
        assertEquals(expected, found());
        List<String> problems = new ArrayList<>();
        StoreVerifier.Report report =
                StoreVerifier.verify(store(), (file, offset, message) -> problems.add(file + ": " + message));
        assertEquals(0, report.problems(), problems::toString);
    }

    void damage(LogKind kind, long pageAddress) {
        Path file = new StoreFiles(store()).segments(kind, SEGMENT).file(pageAddress);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap("damage".getBytes(StandardCharsets.US_ASCII)), pageAddress % SEGMENT + 100);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
