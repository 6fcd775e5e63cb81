package dev.loom.log;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;

/** Sets and checks the checksums of sealed pages. For one thread. */
public final class PageChecksum {
    private final CRC32C crc = new CRC32C();
    private final ByteBuffer seed = ByteBuffer.allocate(2 * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private final LogKind kind;
    private final long storeId;

    public PageChecksum(LogKind kind, long storeId) {
        this.kind = kind;
        this.storeId = storeId;
    }

    /**
     * Sets the checksum of the sealed page at offset {@code page} of {@code bytes}, whose position and limit it moves.
     */
    public void fill(ByteBuffer bytes, int page, long address) {
        int value = PageDescriptor.computeCrc(crc, bytes, page, seed, storeId, address);
        bytes.clear();
        PageDescriptor.putCrc(bytes, page, value);
    }

    /**
     * Whether the page is as it was sealed, in this log and at this address.
     *
     * @param bytes the same memory as {@code buffer}; its position and limit are moved
     */
    public boolean valid(DirectBuffer buffer, ByteBuffer bytes, int page, long address) {
        int used = PageDescriptor.used(buffer, page);
        return buffer.getInt(page + PageDescriptor.MAGIC_OFFSET) == PageDescriptor.MAGIC
                && buffer.getByte(page + PageDescriptor.KIND_OFFSET) == kind.code()
                && buffer.getByte(page + PageDescriptor.MAJOR_OFFSET) == PageDescriptor.MAJOR
                && buffer.getLong(page + PageDescriptor.STORE_ID_OFFSET) == storeId
                && buffer.getLong(page + PageDescriptor.PAGE_NUMBER_OFFSET) == PageDescriptor.pageNumber(address)
                && used >= PageDescriptor.HEADER_LENGTH
                && used <= PageDescriptor.PAGE_LENGTH
                && PageDescriptor.crc(buffer, page)
                        == PageDescriptor.computeCrc(crc, bytes, page, seed, storeId, address);
    }
}
