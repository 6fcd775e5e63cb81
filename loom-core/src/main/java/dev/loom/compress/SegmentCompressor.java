package dev.loom.compress;

import dev.loom.error.StoreIoException;
import dev.loom.format.PayloadFormat;
import dev.loom.io.LoomFile;
import dev.loom.io.Storage;
import dev.loom.log.CompressedSegment;
import dev.loom.log.LogKind;
import dev.loom.log.PageChecksum;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageForm;
import dev.loom.log.Segments;
import dev.loom.record.RecordDescriptor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.function.IntFunction;
import org.agrona.BufferUtil;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Makes compressed copies of segment files of the record log. A damaged page is copied as it is. For one thread; to be
 * closed by it.
 */
public final class SegmentCompressor implements AutoCloseable {
    /** Nothing came of it: the file is too short or can't be read, or would hardly get smaller. */
    public static final long NOTHING = -1;

    /** A copy that is not at least this part smaller is not worth the time of its readers. */
    private static final int WORTH_PART = 8;

    private static final int BLOCK_LENGTH = 4 * PageDescriptor.PAGE_LENGTH;

    private final Storage storage;
    private final Segments segments;
    private final long storeId;
    private final IntFunction<@Nullable PayloadFormat> formatOf;
    private final Int2ObjectHashMap<byte[]> columns = new Int2ObjectHashMap<>();
    private final PageEncoder encoder;
    private final PageChecksum checksum;
    private final ByteBuffer pageBytes =
            ByteBuffer.allocateDirect(PageDescriptor.PAGE_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    private final UnsafeBuffer page = new UnsafeBuffer(pageBytes);
    private final ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_LENGTH).order(ByteOrder.LITTLE_ENDIAN);

    /** Called after each page. */
    @FunctionalInterface
    public interface Pace {
        /**
         * May wait.
         *
         * @param bytes how long the copy is so far
         * @throws java.util.concurrent.CancellationException to end the work
         */
        void onPage(long bytes);
    }

    /** @param formatOf the format of a source's payloads, by its id; null if it is unknown */
    public SegmentCompressor(
            Storage storage, Segments segments, long storeId, IntFunction<@Nullable PayloadFormat> formatOf) {
        this.storage = storage;
        this.segments = segments;
        this.storeId = storeId;
        this.formatOf = formatOf;
        this.encoder = new PageEncoder(this::columnsOf);
        this.checksum = new PageChecksum(LogKind.RECORD, storeId);
    }

    private byte[] columnsOf(int sourceId) {
        byte[] widths = columns.get(sourceId);
        if (widths == null) {
            PayloadFormat format = formatOf.apply(sourceId);
            widths = format == null ? ColumnLayout.NONE : columnsOf(format);
            columns.put(sourceId, widths);
        }
        return widths;
    }

    /** None of a program's format that fails: its pages are compressed as bytes. */
    private static byte[] columnsOf(PayloadFormat format) {
        try {
            return ColumnLayout.columns(format);
        } catch (OutOfMemoryError e) {
            throw e; // says nothing about the format
        } catch (Throwable e) {
            return ColumnLayout.NONE;
        }
    }

    /**
     * Writes a compressed copy of a segment, and makes its contents durable.
     *
     * @param first where the segment begins; all its pages are in its file
     * @param target a file that does not exist; on failure, or if nothing comes of it, some of it may
     * @return the bytes of the copy, or {@link #NOTHING}
     */
    public long compress(long first, Path target, Pace pace) {
        long segmentLength = segments.segmentLength();
        int pages = CompressedSegment.pages(segmentLength);
        ByteBuffer directory =
                ByteBuffer.allocate(pages * CompressedSegment.ENTRY_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        try (LoomFile source = storage.openToRead(segments.file(first));
                LoomFile copy = storage.openToWrite(target, false)) {
            if (source.size() != segmentLength) {
                return NOTHING;
            }
            long end = CompressedSegment.begin(segmentLength);
            block.clear();
            for (int i = 0; i < pages; i++) {
                long offset = (long) i << PageDescriptor.PAGE_SHIFT;
                if (!reads(source, offset)) {
                    return NOTHING;
                }
                PageForm form = encode(first + offset);
                ByteBuffer stored = form == PageForm.PLAIN ? pageBytes.clear() : encoder.stored();
                directory.putLong(CompressedSegment.entry(end, stored.remaining(), form));
                if (stored.remaining() > block.remaining()) {
                    flush(copy, end);
                }
                end += stored.remaining();
                block.put(stored);
                pace.onPage(end);
            }
            flush(copy, end);
            if (end > segmentLength - segmentLength / WORTH_PART) {
                return NOTHING;
            }
            copy.write(directory.flip(), CompressedSegment.HEADER_LENGTH);
            ByteBuffer header = ByteBuffer.allocate(CompressedSegment.HEADER_LENGTH);
            CompressedSegment.putHeader(header, LogKind.RECORD, storeId, first, pages, end);
            copy.write(header.clear(), CompressedSegment.secondHeader(segmentLength));
            copy.write(header.clear(), 0);
            copy.force();
            return end;
        }
    }

    /** Reads a page; false if the disk doesn't deliver it, now or ever. */
    private boolean reads(LoomFile source, long offset) {
        pageBytes.clear();
        try {
            return source.read(pageBytes, offset) == PageDescriptor.PAGE_LENGTH;
        } catch (StoreIoException e) {
            return false;
        }
    }

    /** Compresses the page, unless it is damaged. */
    private PageForm encode(long address) {
        if (!checksum.valid(page, pageBytes, 0, address)) {
            return PageForm.PLAIN;
        }
        clearPadding();
        checksum.fill(pageBytes, 0, address);
        return encoder.encode(page);
    }

    /** Sets to zero what pads records, since it is left over from older records and would take room. */
    private void clearPadding() {
        int used = PageDescriptor.used(page, 0);
        int at = PageDescriptor.HEADER_LENGTH;
        while (at < used) {
            int length = RecordDescriptor.length(page.getLong(at + RecordDescriptor.WORD0_OFFSET));
            int padding = at + RecordDescriptor.HEADER_LENGTH + length;
            at += RecordDescriptor.alignedLength(length);
            if (at <= used) {
                page.setMemory(padding, at - padding, (byte) 0);
            }
        }
    }

    /** Writes the block, which ends at a position of the file. */
    private void flush(LoomFile copy, long end) {
        block.flip();
        copy.write(block, end - block.limit());
        block.clear();
    }

    @Override
    public void close() {
        encoder.close();
        BufferUtil.free(pageBytes);
        BufferUtil.free(block);
    }
}
