package dev.loom.log;

import dev.loom.error.StoreIoException;
import dev.loom.io.LoomFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Checks what of a compressed segment file its pages' checksums do not cover: headers, directory, length. */
public final class CompressedSegmentCheck {
    private static final int ENTRIES = 8192;

    private CompressedSegmentCheck() {}

    /** Receives problems one by one. */
    @FunctionalInterface
    public interface Handler {
        /** Called once per problem, with the part of the file that is wrong. */
        void onProblem(long offset, FilePart part, String message);
    }

    /** Whether the segment file that begins at an address is compressed. */
    public static boolean isCompressed(LogView view, LoomFile file, long first) {
        try (CompressedPages pages = new CompressedPages(view)) {
            return view.segments().decoders() != null && pages.describe(file, first);
        }
    }

    /** Where a page is in its segment's file. */
    public static PagePlace place(LogView view, long pageAddress) {
        long first = view.segments().first(pageAddress);
        try (LoomFile file = view.storage().openToRead(view.segments().file(pageAddress))) {
            if (isCompressed(view, file, first)) {
                long at = CompressedSegment.entryAt(pageAddress - first);
                ByteBuffer entry =
                        ByteBuffer.allocate(CompressedSegment.ENTRY_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
                file.read(entry, at);
                return PagePlace.compressed(
                        at, entry.getLong(0), view.segments().segmentLength(), file.size());
            }
        } catch (StoreIoException e) {
            // where it would be
        }
        return PagePlace.plain(pageAddress - first);
    }

    /** Checks a compressed segment file. */
    public static void check(LogView view, LoomFile file, long first, Handler handler) {
        long segmentLength = view.segments().segmentLength();
        ByteBuffer header = ByteBuffer.allocate(CompressedSegment.HEADER_LENGTH);
        long length = -1;
        for (long at : new long[] {0, CompressedSegment.secondHeader(segmentLength)}) {
            file.read(header.clear(), at);
            if (!CompressedSegment.isHeader(header, view.kind(), view.storeId(), first, segmentLength)) {
                handler.onProblem(
                        at,
                        new FilePart(at, CompressedSegment.HEADER_LENGTH),
                        "header of a compressed segment is invalid");
            } else {
                length = CompressedSegment.length(header);
            }
        }
        long end = checkDirectory(file, segmentLength, handler);
        if (end >= 0 && end != length) {
            handler.onProblem(
                    end,
                    new FilePart(0, CompressedSegment.begin(segmentLength)),
                    "compressed pages end elsewhere than the header says: expected=" + length);
        }
        if (length >= 0 && file.size() != length) {
            long at = Math.min(length, file.size());
            handler.onProblem(
                    at,
                    new FilePart(at, FilePart.TO_END),
                    (file.size() < length ? "file ends early" : "bytes after the end") + ": bytes=" + file.size()
                            + ", expected=" + length);
        }
    }

    /** Returns where the pages end, or -1 if an entry is wrong. */
    private static long checkDirectory(LoomFile file, long segmentLength, Handler handler) {
        int pages = CompressedSegment.pages(segmentLength);
        ByteBuffer entries = ByteBuffer.allocate(Math.min(pages, ENTRIES) * CompressedSegment.ENTRY_LENGTH)
                .order(ByteOrder.LITTLE_ENDIAN);
        long end = CompressedSegment.begin(segmentLength);
        boolean whole = true;
        for (int i = 0; i < pages; i++) {
            int in = i % ENTRIES;
            if (in == 0) {
                entries.clear();
                file.read(entries, CompressedSegment.entryAt((long) i << PageDescriptor.PAGE_SHIFT));
            }
            long entry = entries.getLong(in * CompressedSegment.ENTRY_LENGTH);
            if (CompressedSegment.entryOffset(entry) != end
                    || PageForm.of(CompressedSegment.entryForm(entry)) == null) {
                whole = false;
                long at = CompressedSegment.entryAt((long) i << PageDescriptor.PAGE_SHIFT);
                handler.onProblem(
                        at,
                        new FilePart(at, CompressedSegment.ENTRY_LENGTH),
                        "entry of a compressed segment is wrong: page=" + i + ", offset="
                                + CompressedSegment.entryOffset(entry) + ", expected=" + end);
            }
            end = CompressedSegment.entryOffset(entry) + CompressedSegment.entryLength(entry);
        }
        return whole ? end : -1;
    }
}
