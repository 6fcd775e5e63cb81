package dev.loom.bench.push;

import static dev.loom.bench.push.LimitPageDescriptor.CHECKSUM_OFFSET;
import static dev.loom.bench.push.LimitPageDescriptor.LENGTH_MASK;
import static dev.loom.bench.push.LimitPageDescriptor.NUMBER_OFFSET;
import static dev.loom.bench.push.LimitPageDescriptor.PAGE_HEADER_LENGTH;
import static dev.loom.bench.push.LimitPageDescriptor.PAGE_LENGTH;
import static dev.loom.bench.push.LimitPageDescriptor.RECORD_HEADER_LENGTH;
import static dev.loom.bench.push.LimitPageDescriptor.USED_OFFSET;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;
import org.agrona.concurrent.UnsafeBuffer;

/** Reads the limit's segment files back and checks checksums, page numbers, every payload, and the number of records. */
final class LimitVerifier {
    private static final int READ_LENGTH = 16 * PAGE_LENGTH;

    private final PayloadPool pool;
    private final CRC32C checksum = new CRC32C();
    private final ByteBuffer bytes = ByteBuffer.allocateDirect(READ_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    private final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
    private long records;
    private long pages;

    LimitVerifier(PayloadPool pool) {
        this.pool = pool;
    }

    void verify(SegmentFiles segments, long recordsExpected) {
        for (final Path path : segments.paths()) {
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
                verifySegment(channel);
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        if (records != recordsExpected || pages * PAGE_LENGTH != segments.written()) {
            throw new IllegalStateException("limit stored another number of records: expected=" + recordsExpected
                    + ", actual=" + records + ", pages=" + pages + ", written=" + segments.written());
        }
    }

    private void verifySegment(FileChannel channel) throws IOException {
        while (channel.read(bytes.clear()) > 0) {
            while (bytes.position() % PAGE_LENGTH != 0) {
                if (channel.read(bytes) < 0) {
                    throw new IllegalStateException("limit segment ends within a page: page=" + pages);
                }
            }
            final int end = bytes.position();
            for (int page = 0; page < end; page += PAGE_LENGTH) {
                verifyPage(page);
            }
        }
    }

    private void verifyPage(int page) {
        checksum.reset();
        checksum.update(bytes.limit(page + PAGE_LENGTH).position(page + PAGE_HEADER_LENGTH));
        bytes.clear();
        if (bytes.getLong(page + CHECKSUM_OFFSET) != checksum.getValue()
                || bytes.getLong(page + NUMBER_OFFSET) != pages) {
            throw new IllegalStateException("limit page is damaged: page=" + pages);
        }
        final int end = page + (int) bytes.getLong(page + USED_OFFSET);
        int at = page + PAGE_HEADER_LENGTH;
        while (at < end) {
            final int length = (int) (bytes.getLong(at) & LENGTH_MASK);
            if (!pool.matches(records, buffer, at + RECORD_HEADER_LENGTH, length)) {
                throw new IllegalStateException("limit record differs: record=" + records + ", page=" + pages);
            }
            records++;
            at += RECORD_HEADER_LENGTH + length;
        }
        pages++;
    }
}
