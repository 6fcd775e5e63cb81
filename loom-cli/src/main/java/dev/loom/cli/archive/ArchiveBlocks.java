package dev.loom.cli.archive;

import dev.loom.server.text.DataOutput;
import io.airlift.compress.lz4.Lz4Compressor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Writes an archive's header and blocks. Holds the open block, and room to compress it. */
final class ArchiveBlocks {
    private final DataOutput out;
    private final long archiveId;
    private final Lz4Compressor compressor = new Lz4Compressor();
    private final BlockBuffer buffer = new BlockBuffer();
    private byte[] compressed = {};
    private int number;

    /** Writes the header. */
    ArchiveBlocks(DataOutput out, long archiveId, int major) {
        this.out = out;
        this.archiveId = archiveId;
        byte[] bytes = new byte[ArchiveDescriptor.HEADER_LENGTH];
        ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        header.putLong(0, ArchiveDescriptor.MAGIC);
        header.put(ArchiveDescriptor.MAJOR_OFFSET, (byte) major);
        header.put(ArchiveDescriptor.MINOR_OFFSET, (byte) ArchiveDescriptor.MINOR);
        header.putLong(ArchiveDescriptor.ID_OFFSET, archiveId);
        header.putInt(ArchiveDescriptor.HEADER_CRC_OFFSET, ArchiveDescriptor.headerChecksum(bytes, 0));
        out.write(bytes, 0, bytes.length);
    }

    /** The open block. */
    BlockBuffer buffer() {
        return buffer;
    }

    /** Ends the open block if it is long enough. */
    void endIfFull(int type) {
        if (buffer.length() >= ArchiveDescriptor.BLOCK_LENGTH) {
            end(type);
        }
    }

    /** Writes the open block, unless it is empty, and begins the next. */
    void end(int type) {
        int plainLength = buffer.length();
        if (plainLength == 0) {
            return;
        }
        int room = compressor.maxCompressedLength(plainLength);
        if (compressed.length < room) {
            compressed = new byte[room];
        }
        int length = compressor.compress(buffer.array(), 0, plainLength, compressed, 0, room);
        boolean shorter = length < plainLength;
        byte[] stored = shorter ? compressed : buffer.array();
        int storedLength = shorter ? length : plainLength;
        byte[] bytes = new byte[ArchiveDescriptor.BLOCK_HEADER_LENGTH];
        ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        header.put(ArchiveDescriptor.TYPE_OFFSET, (byte) type);
        header.put(ArchiveDescriptor.CODING_OFFSET, (byte) (shorter ? ArchiveDescriptor.LZ4 : ArchiveDescriptor.PLAIN));
        header.putInt(ArchiveDescriptor.NUMBER_OFFSET, number++);
        header.putInt(ArchiveDescriptor.STORED_LENGTH_OFFSET, storedLength);
        header.putInt(ArchiveDescriptor.PLAIN_LENGTH_OFFSET, plainLength);
        header.putInt(
                ArchiveDescriptor.BLOCK_CRC_OFFSET,
                ArchiveDescriptor.blockChecksum(archiveId, bytes, 0, stored, 0, storedLength));
        out.write(bytes, 0, bytes.length);
        out.write(stored, 0, storedLength);
        buffer.clear();
    }
}
