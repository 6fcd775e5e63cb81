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
     * Sets the checksum of the sealed page at {@code pageOffset} of {@code bytes}, whose position and limit it moves.
     */
    public void fill(ByteBuffer bytes, int pageOffset, long address) {
        int value = PageDescriptor.computeCrc(crc, bytes, pageOffset, seed, storeId, address);
        bytes.clear();
        PageDescriptor.putCrc(bytes, pageOffset, value);
    }

    /**
     * Whether the page is as it was sealed, in this log and at this address.
     *
     * @param bytes the same memory as {@code buffer}; its position and limit are moved
     */
    public boolean valid(DirectBuffer buffer, ByteBuffer bytes, int pageOffset, long address) {
        int used = PageDescriptor.used(buffer, pageOffset);
        return buffer.getInt(pageOffset + PageDescriptor.MAGIC_OFFSET) == PageDescriptor.MAGIC
                && buffer.getByte(pageOffset + PageDescriptor.KIND_OFFSET) == kind.code()
                && buffer.getByte(pageOffset + PageDescriptor.MAJOR_OFFSET) == PageDescriptor.MAJOR
                && buffer.getLong(pageOffset + PageDescriptor.STORE_ID_OFFSET) == storeId
                && buffer.getLong(pageOffset + PageDescriptor.PAGE_NUMBER_OFFSET) == PageDescriptor.pageNumber(address)
                && used >= PageDescriptor.HEADER_LENGTH
                && used <= PageDescriptor.PAGE_LENGTH
                && PageDescriptor.crc(buffer, pageOffset)
                        == PageDescriptor.computeCrc(crc, bytes, pageOffset, seed, storeId, address);
    }
}
