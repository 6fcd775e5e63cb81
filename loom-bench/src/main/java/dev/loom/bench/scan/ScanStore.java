package dev.loom.bench.scan;

import dev.loom.Loom;
import dev.loom.LoomConfig;
import dev.loom.LoomReader;
import dev.loom.api.Eviction;
import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.api.Store;
import dev.loom.format.Formats;
import dev.loom.query.QueryCursor;
import dev.loom.query.RawScan;
import dev.loom.query.model.Order;
import java.nio.ByteOrder;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;

/** A store that holds one source among others, and scans of that source. For one thread. */
public final class ScanStore implements AutoCloseable {
    private static final String WANTED = "wanted";
    private static final int OTHER_SOURCES = 3;

    private final ScanSettings settings;
    private final Path path;
    private final Store store;
    private FileReads before = FileReads.now();

    /** Writes the store and opens it for reading. */
    public ScanStore(ScanSettings settings) {
        this.settings = settings;
        path = settings.directory().resolve("store");
        final Loom writer = write();
        if (settings.residence() == Residence.MEMORY) {
            store = writer;
        } else {
            writer.close();
            store = LoomReader.attach(path);
        }
    }

    /** Makes the next scan read from the disk, if the residence asks for it. */
    public void prepare() {
        if (settings.residence() == Residence.DISK) {
            PageCache.drop(path);
        }
        before = FileReads.now();
    }

    /**
     * Scans the source once.
     *
     * @return the bytes of pages read for it
     * @throws IllegalStateException if the records are not those pushed, by number, sum or order
     */
    public long scan(Order order) {
        try (Snapshot snapshot = store.snapshot()) {
            final Source source = snapshot.source(WANTED).orElseThrow();
            try (QueryCursor cursor = RawScan.of(snapshot, source).order(order).open()) {
                final long step = order == Order.OLDEST_FIRST ? 1 : -1;
                long expected = order == Order.OLDEST_FIRST ? 0 : settings.records() - 1;
                long strays = 0;
                long records = 0;
                while (cursor.next()) {
                    strays |= expected ^ cursor.buffer().getLong(cursor.offset(), ByteOrder.LITTLE_ENDIAN);
                    expected += step;
                    records++;
                }
                if (strays != 0 || records != settings.records()) {
                    throw new IllegalStateException("scan gave other records: expected=" + settings.records()
                            + ", actual=" + records + ", in order=" + (strays == 0));
                }
                return cursor.statistics().bytesRead();
            }
        }
    }

    /**
     * Checks that the last scan, of {@code pageBytes} bytes of pages, read from the right place.
     *
     * @throws IllegalStateException if the data came from elsewhere: the figure would belong to another residence
     */
    public void verifyResidence(long pageBytes) {
        if (!FileReads.known()) {
            return;
        }
        final FileReads reads = FileReads.now().since(before);
        final boolean asWanted = switch (settings.residence()) {
            case MEMORY -> reads.calledBytes() < pageBytes / 10;
            case PAGE_CACHE -> reads.diskBytes() < pageBytes / 10;
            case DISK -> reads.diskBytes() > pageBytes / 10 * 9;
        };
        if (!asWanted) {
            throw new IllegalStateException("pages were not read from where they should be: wanted="
                    + settings.residence() + ", pages=" + pageBytes + ", " + reads);
        }
    }

    @Override
    public void close() {
        store.close();
    }

    private Loom write() {
        final Loom writer = Loom.open(LoomConfig.at(path)
                .stagingDirectory(settings.staging())
                .recordRingBytes(settings.ringBytes())
                .eviction(settings.residence() == Residence.DISK ? Eviction.AUTO : Eviction.PAGE_CACHE)
                .build());
        final int wanted = writer.defineSource(WANTED, Formats.parse("bytes"));
        final int[] others = new int[OTHER_SOURCES];
        for (int i = 0; i < OTHER_SOURCES; i++) {
            others[i] = writer.defineSource("other-" + i, Formats.parse("bytes"));
        }
        final UnsafeBuffer payload = new UnsafeBuffer(new byte[settings.payloadLength()]);
        long otherRecords = 0;
        for (long number = 0; number < settings.records(); number++) {
            payload.putLong(0, number, ByteOrder.LITTLE_ENDIAN);
            push(writer, wanted, payload);
            final long due = (number + 1) * settings.others() / settings.records();
            for (; otherRecords < due; otherRecords++) {
                payload.putLong(0, -1, ByteOrder.LITTLE_ENDIAN);
                push(writer, others[(int) (otherRecords % OTHER_SOURCES)], payload);
            }
        }
        writer.releaseWriter();
        return writer;
    }

    private static void push(Loom writer, int sourceId, UnsafeBuffer payload) {
        final long address = writer.push(sourceId, payload, 0, payload.capacity());
        if (address < 0) {
            throw new IllegalStateException("push was refused: status=" + address);
        }
    }
}
