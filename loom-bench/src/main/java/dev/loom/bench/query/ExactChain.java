package dev.loom.bench.query;

import dev.loom.bench.scan.PageCache;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.LongConsumer;

/**
 * A log in which each system call above a latency points back to the one before it, as FishStore does for a predicate (paper, Figure
 * 17): what was asked for is known when it is written, nothing else has to be read, and there is no index over time.
 *
 * <pre>
 *   0                      8          16                   64
 *   +----------------------+----------+--------------------+
 *   | address before, or -1| time, ns | payload            |
 *   +----------------------+----------+--------------------+
 * </pre>
 *
 * <p>A walk reads blocks of 64 KiB while the records of the chain are near each other, and single records while they are not. For one
 * thread.
 */
public final class ExactChain implements AutoCloseable {
    private static final int BEFORE_OFFSET = 0;
    private static final int TIME_OFFSET = BEFORE_OFFSET + Long.BYTES;
    private static final int PAYLOAD_OFFSET = TIME_OFFSET + Long.BYTES;
    private static final int RECORD_LENGTH = PAYLOAD_OFFSET + SimulatedCapture.PAYLOAD_LENGTH;
    private static final int NUMBER_OFFSET = RECORD_LENGTH - Long.BYTES;
    private static final int BLOCK_LENGTH = 64 * 1024;
    private static final int BUFFER_LENGTH = 1 << 20;

    private final Path directory;
    private final Path path;
    private final long head;
    private final ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    private FileChannel file;
    private long blockAddress = -1;

    /** Writes the log of a capture, with the chain of system calls above a latency. */
    public ExactChain(Path directory, SimulatedCapture telemetry, long aboveNs) {
        this.directory = directory;
        path = directory.resolve("chain.log");
        try {
            head = write(path, telemetry, aboveNs);
            file = FileChannel.open(path, StandardOpenOption.READ);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long write(Path path, SimulatedCapture telemetry, long aboveNs) throws IOException {
        final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        long before = -1;
        try (FileChannel out = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (long number = 0; number < telemetry.records(); number++) {
                buffer.putLong(before).putLong(telemetry.timeNs(number));
                for (int column = 0; column < SimulatedCapture.COLUMNS; column++) {
                    buffer.putLong(telemetry.value(number, column));
                }
                if (!telemetry.isRequest(number) && telemetry.latencyNs(number) > aboveNs) {
                    before = number * RECORD_LENGTH;
                } else {
                    buffer.putLong(buffer.position() - RECORD_LENGTH + BEFORE_OFFSET, -1);
                }
                if (!buffer.hasRemaining()) {
                    writeAll(out, buffer);
                }
            }
            writeAll(out, buffer);
            out.force(true);
        }
        return before;
    }

    private static void writeAll(FileChannel out, ByteBuffer buffer) throws IOException {
        buffer.flip();
        while (buffer.hasRemaining()) {
            out.write(buffer);
        }
        buffer.clear();
    }

    /**
     * Walks the chain from its newest record to the begin of a time range.
     *
     * @param row takes the number of each record in the range, newest first
     * @return how many records the walk has met
     */
    public long walk(long fromNs, long toNs, LongConsumer row) {
        blockAddress = -1;
        long met = 0;
        long address = head;
        boolean near = true;
        while (address >= 0) {
            final int offset = load(address, near);
            met++;
            final long timeNs = block.getLong(offset + TIME_OFFSET);
            if (timeNs < fromNs) {
                break;
            }
            if (timeNs < toNs) {
                row.accept(block.getLong(offset + NUMBER_OFFSET));
            }
            final long before = block.getLong(offset + BEFORE_OFFSET);
            near = address - before < BLOCK_LENGTH / 2;
            address = before;
        }
        return met;
    }

    /** Reads a record, with what is before it if the next ones are likely there; returns its offset in the block. */
    private int load(long address, boolean near) {
        if (blockAddress < 0 || address < blockAddress || address + RECORD_LENGTH > blockAddress + block.limit()) {
            blockAddress = near ? Math.max(0, address + RECORD_LENGTH - BLOCK_LENGTH) : address;
            block.clear().limit((int) (address + RECORD_LENGTH - blockAddress));
            try {
                while (block.hasRemaining()) {
                    if (file.read(block, blockAddress + block.position()) < 0) {
                        throw new IllegalStateException("chain leaves the file: address=" + address);
                    }
                }
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return (int) (address - blockAddress);
    }

    /** Drops the file from the page cache, and opens it again. */
    public void chill() {
        close();
        PageCache.drop(directory);
        try {
            file = FileChannel.open(path, StandardOpenOption.READ);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
