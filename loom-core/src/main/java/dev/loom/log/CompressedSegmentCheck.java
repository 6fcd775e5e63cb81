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
        void onProblem(long offset, String message);
    }

    /** Whether the segment file that begins at an address is compressed. */
    public static boolean isCompressed(LogView view, LoomFile file, long first) {
        try (CompressedPages pages = new CompressedPages(view)) {
            return view.segments().decoders() != null && pages.describe(file, first);
        }
    }

    /** Where a page is in its segment's file: if that is compressed its stored form, or its entry if that leads nowhere. */
    public static long offsetInFile(LogView view, long address) {
        long first = view.segments().first(address);
        try (LoomFile file = view.storage().openToRead(view.segments().file(address))) {
            if (!isCompressed(view, file, first)) {
                return address - first;
            }
            long at = CompressedSegment.entryAt(address - first);
            ByteBuffer entry =
                    ByteBuffer.allocate(CompressedSegment.ENTRY_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
            file.read(entry, at);
            long offset = CompressedSegment.entryOffset(entry.getLong(0));
            boolean there = offset >= CompressedSegment.begin(view.segments().segmentLength()) && offset < file.size();
            return there ? offset : at;
        } catch (StoreIoException e) {
            return address - first;
        }
    }

    /** Checks a compressed segment file. */
    public static void check(LogView view, LoomFile file, long first, Handler handler) {
        long segmentLength = view.segments().segmentLength();
        ByteBuffer header = ByteBuffer.allocate(CompressedSegment.HEADER_LENGTH);
        long length = -1;
        for (long at : new long[] {0, CompressedSegment.secondHeader(segmentLength)}) {
            file.read(header.clear(), at);
            if (!CompressedSegment.isHeader(header, view.kind(), view.storeId(), first, segmentLength)) {
                handler.onProblem(at, "header of a compressed segment is invalid");
            } else {
                length = CompressedSegment.length(header);
            }
        }
        long end = checkDirectory(file, segmentLength, handler);
        if (end >= 0 && end != length) {
            handler.onProblem(end, "compressed pages end elsewhere than the header says: expected=" + length);
        }
        if (length >= 0 && file.size() != length) {
            handler.onProblem(
                    Math.min(length, file.size()),
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
                handler.onProblem(
                        CompressedSegment.entryAt((long) i << PageDescriptor.PAGE_SHIFT),
                        "entry of a compressed segment is wrong: page=" + i + ", offset="
                                + CompressedSegment.entryOffset(entry) + ", expected=" + end);
            }
            end = CompressedSegment.entryOffset(entry) + CompressedSegment.entryLength(entry);
        }
        return whole ? end : -1;
    }
}
