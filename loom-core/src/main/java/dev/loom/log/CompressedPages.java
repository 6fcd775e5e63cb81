package dev.loom.log;

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

    private final LogView view;
    private final ByteBuffer header = ByteBuffer.allocate(CompressedSegment.HEADER_LENGTH);
    private final UnsafeBuffer page = new UnsafeBuffer(NO_BYTES);
    private ByteBuffer entries = ByteBuffer.allocate(0);
    private @Nullable ByteBuffer stored;
    private @Nullable PageDecoder decoder;

    CompressedPages(LogView view) {
        this.view = view;
    }

    /** Whether a segment file is compressed. One of its two headers may be damaged. */
    boolean describe(LoomFile file, long first) {
        return isHeader(file, 0, first)
                || (!isPage()
                        && isHeader(
                                file,
                                CompressedSegment.secondHeader(view.segments().segmentLength()),
                                first));
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

    /** Reads the page of an entry to an offset of the target. */
    private boolean read(LoomFile file, long entry, int offset) {
        int length = CompressedSegment.entryLength(entry);
        PageForm form = PageForm.of(CompressedSegment.entryForm(entry));
        if (form == null || length == 0 || length > PageDescriptor.PAGE_LENGTH) {
            return false;
        }
        ByteBuffer bytes = stored();
        bytes.clear().limit(length);
        if (!readFully(file, bytes, CompressedSegment.entryOffset(entry))) {
            return false;
        }
        bytes.flip();
        if (form == PageForm.PLAIN) {
            page.putBytes(offset, bytes, 0, length);
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

    private ByteBuffer stored() {
        ByteBuffer made = stored;
        if (made == null) {
            made = ByteBuffer.allocateDirect(PageDescriptor.PAGE_LENGTH);
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
        ByteBuffer made = stored;
        stored = null;
        page.wrap(NO_BYTES);
        if (made != null) {
            BufferUtil.free(made);
        }
    }
}
