package dev.loom.rollup;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** The checksum of bytes of a run, which are no valid ones of another run or store. For one thread. */
final class RunChecksum {
    private final long storeId;
    private final CRC32C crc = new CRC32C();
    private final ByteBuffer seed = ByteBuffer.allocate(3 * Long.BYTES).order(RunFileDescriptor.ORDER);

    RunChecksum(long storeId) {
        this.storeId = storeId;
    }

    /** Of the bytes at {@code [offset, offset + length)}. */
    int of(int level, long number, ByteBuffer bytes, int offset, int length) {
        seed.putLong(0, storeId).putLong(8, level).putLong(16, number).rewind();
        crc.reset();
        crc.update(seed);
        bytes.limit(offset + length).position(offset);
        crc.update(bytes);
        bytes.clear();
        return (int) crc.getValue();
    }
}
