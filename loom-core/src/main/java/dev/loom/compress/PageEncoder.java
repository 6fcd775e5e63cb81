package dev.loom.compress;

import dev.loom.log.PageDescriptor;
import dev.loom.log.PageForm;
import io.airlift.compress.lz4.Lz4Compressor;
import java.nio.ByteBuffer;
import java.util.function.IntFunction;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Compresses pages of records, and decodes each again to compare it. For one thread. */
final class PageEncoder implements AutoCloseable {
    private final Lz4Compressor lz4 = new Lz4Compressor();
    private final ColumnEncoder columns;
    private final Lz4PageDecoder decoder = new Lz4PageDecoder();
    private final byte[] plain = new byte[PageDescriptor.PAGE_LENGTH];
    private final ByteBuffer stored = ByteBuffer.allocateDirect(lz4.maxCompressedLength(PageDescriptor.PAGE_LENGTH));
    private final UnsafeBuffer decoded = new UnsafeBuffer(new byte[PageDescriptor.PAGE_LENGTH]);

    /** @param columnsOf the widths of a source's columns, by its id */
    PageEncoder(IntFunction<byte[]> columnsOf) {
        this.columns = new ColumnEncoder(columnsOf);
    }

    /**
     * Compresses a page in the smallest way that decodes to it.
     *
     * @return the form of {@link #stored()}; {@link PageForm#PLAIN} if the page does not get smaller, with nothing stored
     */
    PageForm encode(DirectBuffer page) {
        int length = columns.encode(page);
        if (length >= 0 && compress(columns.columns(), length) && decodes(PageForm.COLUMNS, page)) {
            return PageForm.COLUMNS;
        }
        page.getBytes(0, plain);
        return compress(plain, plain.length) && decodes(PageForm.LZ4, page) ? PageForm.LZ4 : PageForm.PLAIN;
    }

    private boolean compress(byte[] bytes, int length) {
        stored.clear();
        lz4.compress(ByteBuffer.wrap(bytes, 0, length), stored);
        stored.flip();
        return stored.remaining() < PageDescriptor.PAGE_LENGTH;
    }

    private boolean decodes(PageForm form, DirectBuffer page) {
        return decoder.decode(form, stored.duplicate(), decoded, 0) && decoded.compareTo(page) == 0;
    }

    /** What was stored last, from position to limit, until the next page. */
    ByteBuffer stored() {
        return stored;
    }

    @Override
    public void close() {
        BufferUtil.free(stored);
    }
}
