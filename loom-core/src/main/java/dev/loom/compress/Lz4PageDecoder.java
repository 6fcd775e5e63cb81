package dev.loom.compress;

import dev.loom.log.PageDecoder;
import dev.loom.log.PageDescriptor;
import dev.loom.log.PageForm;
import io.airlift.compress.MalformedInputException;
import io.airlift.compress.lz4.Lz4Decompressor;
import java.nio.ByteBuffer;
import org.agrona.MutableDirectBuffer;

/** Decodes the pages of compressed segments of the record log. */
final class Lz4PageDecoder implements PageDecoder {
    private final Lz4Decompressor lz4 = new Lz4Decompressor();
    private final ByteBuffer plain = ByteBuffer.allocate(PageDescriptor.PAGE_LENGTH);
    private final byte[] whole = new byte[PageDescriptor.PAGE_LENGTH];
    private final ColumnDecoder columns = new ColumnDecoder();

    @Override
    public boolean decode(PageForm form, ByteBuffer stored, MutableDirectBuffer page, int offset) {
        try {
            lz4.decompress(stored, plain.clear());
        } catch (MalformedInputException | IllegalArgumentException e) {
            return false;
        }
        int length = plain.position();
        byte[] decoded = plain.array();
        if (form == PageForm.COLUMNS) {
            decoded = whole;
            if (!columns.decode(plain.array(), length, whole)) {
                return false;
            }
        } else if (length != PageDescriptor.PAGE_LENGTH) {
            return false;
        }
        page.putBytes(offset, decoded, 0, PageDescriptor.PAGE_LENGTH);
        return true;
    }
}
