package dev.loom.record;

import dev.loom.error.StoreIoException;
import dev.loom.format.RecordLookup;
import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageState;
import java.util.function.IntFunction;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Records that others refer to, read from the log as usual: page by page, checked, and never while the writer
 * overwrites them. No address is trusted: a scan of the page's records shows whether one begins there.
 *
 * <p>Takes no memory until the first lookup; then a page, a {@link PayloadCache}, and for a jumbo another page and its
 * payload. For one thread.
 */
public final class ReferencedRecords implements RecordLookup {
    /** In place of a source's id, for an address without a record. Source 0 is Loom's own. */
    private static final int NOTHING = 0;

    /** In place of a source's id, for an address on a damaged page. */
    private static final int DAMAGED = 1 << 16;

    private static final DirectBuffer NO_BYTES = new UnsafeBuffer(new byte[0]);

    private final LogView records;
    private final LongSupplier tail;
    private final IntFunction<@Nullable String> formats;
    private final Runnable onClose;
    private @Nullable PageRecords page;
    private @Nullable PayloadCache cache;
    private long from;
    /** The addresses of the segment that the referring record is in. */
    private long segmentBegin;

    private long segmentEnd;
    private boolean closed;

    private DirectBuffer buffer = NO_BYTES;
    private int offset;
    private int length;

    private int knownSource = -1;
    private @Nullable String knownFormat;
    private LongPredicate counted = page -> true;
    private long pagesDamaged;
    private long failures;

    /**
     * Allocates nothing yet.
     *
     * @param tail gives the address up to which records may be read
     * @param formats gives the text of a source's format by its id, or null
     */
    public ReferencedRecords(LogView records, LongSupplier tail, IntFunction<@Nullable String> formats) {
        this(records, tail, formats, () -> {});
    }

    /** As above, and runs something when it is closed. */
    public ReferencedRecords(
            LogView records, LongSupplier tail, IntFunction<@Nullable String> formats, Runnable onClose) {
        this.records = records;
        this.tail = tail;
        this.formats = formats;
        this.onClose = onClose;
    }

    @Override
    public void from(long recordAddress) {
        from = recordAddress;
    }

    @Override
    public boolean mayRefer(long address) {
        if (from < segmentBegin || from >= segmentEnd) {
            segmentBegin = records.segments().first(from);
            segmentEnd = segmentBegin + records.segments().segmentLength();
        }
        return address >= segmentBegin && address < from && (address & (RecordDescriptor.ALIGNMENT - 1)) == 0;
    }

    @Override
    public boolean find(long address, String format) {
        return mayRefer(address) && !closed && load(address) && format.equals(knownFormat);
    }

    private boolean load(long address) {
        PayloadCache known = cache;
        if (known == null) {
            known = new PayloadCache();
            cache = known;
        }
        int sourceId;
        if (known.find(address)) {
            sourceId = known.sourceId();
            buffer = known.buffer();
            offset = known.offset();
            length = known.length();
        } else {
            sourceId = read(address);
            known.put(address, sourceId, buffer, offset, length);
        }
        failures += sourceId == DAMAGED ? 1 : 0;
        if (sourceId == NOTHING || sourceId == DAMAGED) {
            return false;
        }
        if (sourceId != knownSource) {
            knownFormat = formats.apply(sourceId);
            knownSource = sourceId;
        }
        return true;
    }

    /** Reads the record at an address; returns its source, {@link #NOTHING} or {@link #DAMAGED}. */
    private int read(long address) {
        int found = DAMAGED;
        try {
            found = readOrFail(address);
        } catch (StoreIoException e) {
            // as damaged: what is there is not known
        }
        if (found == NOTHING || found == DAMAGED) {
            buffer = NO_BYTES;
            offset = 0;
            length = 0;
        }
        return found;
    }

    private int readOrFail(long address) {
        long end = tail.getAsLong();
        if (address >= end) {
            return NOTHING;
        }
        PageRecords reader = page;
        if (reader == null) {
            reader = new PageRecords(records, end, -1, 1);
            page = reader;
        }
        reader.extend(end);
        PageState state = reader.read(PageDescriptor.pageAddress(address));
        if (state == PageState.DAMAGED) {
            pagesDamaged += counted.test(PageDescriptor.pageAddress(address)) ? 1 : 0;
            return DAMAGED;
        }
        long damagedBefore = reader.damagedRecords();
        if (state != PageState.PRESENT || !reader.find(address)) {
            return reader.damagedRecords() > damagedBefore ? DAMAGED : NOTHING;
        }
        buffer = reader.buffer();
        offset = reader.offset();
        length = reader.length();
        return reader.sourceId();
    }

    @Override
    public DirectBuffer buffer() {
        return buffer;
    }

    @Override
    public int offset() {
        return offset;
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    public long failures() {
        return failures;
    }

    /** Sets which damaged pages count, by their addresses, asked each time that one is met; by default all. */
    public void countDamaged(LongPredicate pages) {
        counted = pages;
    }

    /** Damaged pages met so far. */
    public long pagesDamaged() {
        return pagesDamaged;
    }

    /** Bytes copied or read so far. */
    public long bytesRead() {
        PageRecords reader = page;
        return reader == null ? 0 : reader.bytesRead();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            if (page != null) {
                page.close();
            }
            cache = null;
            buffer = NO_BYTES;
            onClose.run();
        }
    }
}
