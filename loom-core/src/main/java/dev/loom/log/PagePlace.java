package dev.loom.log;

import java.util.List;

/**
 * Where a page is in its segment's file.
 *
 * @param offset of the page, or of its stored form if the segment is compressed; of its entry if that leads nowhere
 * @param parts all bytes of the file that make the page
 * @param plain whether the bytes at the offset are the page as it is
 */
public record PagePlace(long offset, List<FilePart> parts, boolean plain) {
    /** In a file that is not compressed. */
    static PagePlace plain(long offset) {
        return new PagePlace(offset, List.of(new FilePart(offset, PageDescriptor.PAGE_LENGTH)), true);
    }

    /** In a compressed file. */
    static PagePlace compressed(long entryAt, long entry, long segmentLength, long fileSize) {
        FilePart entryPart = new FilePart(entryAt, CompressedSegment.ENTRY_LENGTH);
        long offset = CompressedSegment.entryOffset(entry);
        if (offset < CompressedSegment.begin(segmentLength) || offset >= fileSize) {
            return new PagePlace(entryAt, List.of(entryPart), false);
        }
        FilePart form = new FilePart(offset, CompressedSegment.entryLength(entry));
        boolean plain = CompressedSegment.entryForm(entry) == PageForm.PLAIN.code()
                && form.length() == PageDescriptor.PAGE_LENGTH;
        return new PagePlace(offset, List.of(entryPart, form), plain);
    }
}
