package dev.loom.bench.lsm;

import static dev.loom.bench.lsm.TreeShape.BLOCK_LENGTH;

import dev.loom.bench.lsm.BlockAccess.OpenedBlocks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads blocks into one buffer, and notes them on request. */
final class BlockFetch {
    private final ByteBuffer block = ByteBuffer.allocateDirect(2 * BLOCK_LENGTH)
            .alignedSlice(BLOCK_LENGTH)
            .slice(0, BLOCK_LENGTH);
    private @Nullable List<Read> notes;

    /** A block that was read. */
    record Read(OpenedBlocks file, int number) {}

    /** The block, until the next one is read. */
    ByteBuffer read(OpenedBlocks file, int number) {
        if (notes != null) {
            notes.add(new Read(file, number));
        }
        try {
            file.read(number, block);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        return block;
    }

    /** Notes what is read from now on, or no longer. */
    void note(@Nullable List<Read> into) {
        notes = into;
    }
}
