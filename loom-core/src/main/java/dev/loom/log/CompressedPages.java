package dev.loom.log;

import dev.loom.error.StoreIoException;
import dev.loom.io.LoomFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** Reads pages of compressed segments of one log. Its memory is allocated with the first such page. For one thread. */
final class CompressedPages implements AutoCloseable {
    private static final byte[] NO_BYTES = {};

    /**
     * What a walk from page to page reads ahead, in its direction. Disks deliver several times as much in such pieces as page by page, and
     * of a walk newest first the kernel reads nothing ahead.
     */
    private static final int AHEAD_LENGTH = PageReader.BLOCK_PAGES * PageDescriptor.PAGE_LENGTH;

    private final LogView view;
    private final ByteBuffer header = ByteBuffer.allocate(CompressedSegment.HEADER_LENGTH);
    private final UnsafeBuffer page = new UnsafeBuffer(NO_BYTES);
    private ByteBuffer entries = ByteBuffer.allocate(0);
    private @Nullable PageDecoder decoder;
    /** A part of a file, from one position in it to another. */
    private @Nullable ByteBuffer stored;

    private @Nullable LoomFile storedFile;
    private long storedFrom;
    private long storedTo;
    private long lastAddress;

    CompressedPages(LogView view) {
        this.view = view;
    }

    /** Whether a segment file is compressed. One of its two headers may be damaged, or not be delivered by the disk. */
    boolean describe(LoomFile file, long first) {
        long segmentLength = view.segments().segmentLength();
        try {
            if (isHeader(file, 0, first)) {
                return true;
            }
            if (isPage()) {
                return false;
            }
        } catch (StoreIoException e) {
            // one that is compressed is of a full segment, and shorter; it mostly has both headers in one block
            boolean full = first + segmentLength <= view.watermarks().evictedAcquire();
            if (!full || file.size() >= segmentLength) {
                return false;
            }
        }
        return isHeader(file, CompressedSegment.secondHeader(segmentLength), first);
    }

    /** Whether a header is at a position of a segment file. */
    private boolean isHeader(LoomFile file, long position, long first) {
        return readFully(file, header.clear(), position)
                && CompressedSegment.isHeader(
                        header,
                        view.kind(),
                        view.storeId(),
                        first,
                        view.segments().segmentLength());
    }

    /** Whether what was read looks like the beginning of a page. */
    private boolean isPage() {
        ByteBuffer bytes = header.duplicate().order(ByteOrder.LITTLE_ENDIAN).clear();
        return bytes.getInt(PageDescriptor.MAGIC_OFFSET) == PageDescriptor.MAGIC
                && bytes.get(PageDescriptor.MAJOR_OFFSET) == PageDescriptor.MAJOR;
    }

    private static boolean readFully(LoomFile file, ByteBuffer target, long position) {
        int wanted = target.remaining();
        return file.read(target, position) == wanted;
    }

    /**
     * Reads whole pages up to the target's limit.
     *
     * @return how many bytes they have
     */
    int read(LoomFile file, ByteBuffer target, long addressInSegment) {
        int start = target.position();
        int length = target.remaining() & -PageDescriptor.PAGE_LENGTH;
        int count = length >>> PageDescriptor.PAGE_SHIFT;
        ByteBuffer directory = entries(count);
        directory.clear().limit(count * CompressedSegment.ENTRY_LENGTH);
        int known = file.read(directory, CompressedSegment.entryAt(addressInSegment)) / CompressedSegment.ENTRY_LENGTH;
        if (count > 1 && known == count) {
            readAhead(
                    file,
                    directory.getLong(0),
                    directory.getLong((count - 1) * CompressedSegment.ENTRY_LENGTH),
                    addressInSegment);
        }
        lastAddress = addressInSegment;
        page.wrap(target);
        for (int i = 0; i < count; i++) {
            int offset = start + (i << PageDescriptor.PAGE_SHIFT);
            boolean whole = i < known && read(file, directory.getLong(i * CompressedSegment.ENTRY_LENGTH), offset);
            if (!whole) {
                page.setMemory(offset, PageDescriptor.PAGE_LENGTH, (byte) 0);
            }
        }
        target.position(start + length);
        return length;
    }

    /** Reads what a walk asks for and is about to ask for, unless it was read before or is longer. Pages of wrong entries are read by themselves. */
    private void readAhead(LoomFile file, long first, long last, long addressInSegment) {
        long from = CompressedSegment.entryOffset(first);
        long to = CompressedSegment.entryOffset(last) + CompressedSegment.entryLength(last);
        if (from >= to || to - from > AHEAD_LENGTH || isStored(file, from, to)) {
            return;
        }
        if (addressInSegment < lastAddress) {
            long begin = CompressedSegment.begin(view.segments().segmentLength());
            store(file, Math.min(from, Math.max(begin, to - AHEAD_LENGTH)), to);
        } else {
            store(file, from, from + AHEAD_LENGTH);
        }
    }

    private boolean isStored(LoomFile file, long from, long to) {
        return file == storedFile && from >= storedFrom && to <= storedTo;
    }

    /** Reads a part of a file, as far as that goes. */
    private void store(LoomFile file, long from, long to) {
        ByteBuffer bytes = stored((int) (to - from));
        storedFile = null; // also if it fails
        storedFrom = from;
        storedTo = from + file.read(bytes.clear().limit((int) (to - from)), from);
        storedFile = file;
    }

    /** Reads the page of an entry to an offset of the target. */
    private boolean read(LoomFile file, long entry, int offset) {
        int length = CompressedSegment.entryLength(entry);
        PageForm form = PageForm.of(CompressedSegment.entryForm(entry));
        if (form == null || length == 0 || length > PageDescriptor.PAGE_LENGTH) {
            return false;
        }
        long from = CompressedSegment.entryOffset(entry);
        if (!isStored(file, from, from + length)) {
            store(file, from, from + length);
            if (storedTo < from + length) {
                return false;
            }
        }
        int at = (int) (from - storedFrom);
        ByteBuffer bytes = stored(length).limit(at + length).position(at);
        if (form == PageForm.PLAIN) {
            page.putBytes(offset, bytes, at, length);
            return length == PageDescriptor.PAGE_LENGTH;
        }
        return decoder().decode(form, bytes, page, offset);
    }

    private ByteBuffer entries(int count) {
        if (entries.capacity() < count * CompressedSegment.ENTRY_LENGTH) {
            entries =
                    ByteBuffer.allocate(count * CompressedSegment.ENTRY_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        }
        return entries;
    }

    private ByteBuffer stored(int length) {
        ByteBuffer made = stored;
        if (made == null || made.capacity() < length) {
            free();
            made = ByteBuffer.allocateDirect(
                    length <= PageDescriptor.PAGE_LENGTH ? PageDescriptor.PAGE_LENGTH : AHEAD_LENGTH);
            stored = made;
        }
        return made;
    }

    private PageDecoder decoder() {
        PageDecoder made = decoder;
        if (made == null) {
            made = Objects.requireNonNull(view.segments().decoders()).get();
            decoder = made;
        }
        return made;
    }

    @Override
    public void close() {
        page.wrap(NO_BYTES);
        free();
    }

    private void free() {
        ByteBuffer made = stored;
        stored = null;
        storedFile = null;
        if (made != null) {
            BufferUtil.free(made);
        }
    }
}
