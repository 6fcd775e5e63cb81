package dev.loom.filter;

import dev.loom.io.LoomFile;
import dev.loom.text.TokenDigest;
import dev.loom.text.TokenReader;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Writes units of one source and one shape into a file, side by side. Memory does not depend on the units' length. For one thread.
 */
final class UnitGroupWriter {
    /** The bytes that are taken of a unit at once, unless a piece is longer. */
    private static final int SLICE_LENGTH = 8 << 10;

    private final BlockWriter blocks;
    private final UnsafeBuffer number = new UnsafeBuffer(new byte[UnitGroupDescriptor.HEADER_LENGTH]);

    private UnitGroupWriter(BlockWriter blocks) {
        this.blocks = blocks;
    }

    /**
     * Writes a file, and makes it durable.
     *
     * @param contents what all units were built with
     * @param units ascending, 1 to {@value UnitGroupDescriptor#UNITS_MAX}
     */
    static void write(
            LoomFile file, long storeId, int sourceId, UnitContents contents, List<? extends TokenUnit> units) {
        check(units);
        long start = units.get(0).extent().start();
        UnitGroupWriter writer =
                new UnitGroupWriter(new BlockWriter(file, UnitGroupDescriptor.key(storeId, sourceId, start)));
        writer.putHeader(storeId, sourceId, contents, units);
        writer.putExtents(units);
        for (UnitPart part : UnitPart.values()) {
            writer.putPart(part, units);
        }
        PackedLists.write(writer.blocks, units);
        writer.blocks.finish();
    }

    private static void check(List<? extends TokenUnit> units) {
        if (units.isEmpty() || units.size() > UnitGroupDescriptor.UNITS_MAX) {
            throw new IllegalArgumentException(
                    "bad number of units: units=" + units.size() + ", expected=1 to " + UnitGroupDescriptor.UNITS_MAX);
        }
        for (int i = 1; i < units.size(); i++) {
            if (!units.get(i).shape().equals(units.get(0).shape())
                    || units.get(i).extent().start() < units.get(i - 1).extent().end()) {
                throw new IllegalArgumentException("units do not go together: unit=" + i + ", shape="
                        + units.get(i).shape() + ", start="
                        + units.get(i).extent().start() + ", end of the previous="
                        + units.get(i - 1).extent().end());
            }
        }
    }

    private void putHeader(long storeId, int sourceId, UnitContents contents, List<? extends TokenUnit> units) {
        UnitShape shape = units.get(0).shape();
        number.putLong(0, UnitGroupDescriptor.MAGIC, ByteOrder.LITTLE_ENDIAN);
        putInt(UnitGroupDescriptor.VERSION_OFFSET, UnitGroupDescriptor.VERSION);
        putInt(UnitGroupDescriptor.UNITS_OFFSET, units.size());
        number.putLong(UnitGroupDescriptor.STORE_ID_OFFSET, storeId, ByteOrder.LITTLE_ENDIAN);
        putInt(UnitGroupDescriptor.SOURCE_ID_OFFSET, sourceId);
        putInt(UnitGroupDescriptor.TOKENS_OFFSET, TokenReader.VERSION);
        putInt(UnitGroupDescriptor.DIGESTS_OFFSET, TokenDigest.VERSION);
        int[] sizes = shape.toArray();
        for (int i = 0; i < sizes.length; i++) {
            putInt(UnitGroupDescriptor.SHAPE_OFFSET + i * Integer.BYTES, sizes[i]);
        }
        UnsafeBuffer indexed = new UnsafeBuffer(contents.indexed().toString().getBytes(StandardCharsets.UTF_8));
        FrequentWords words = contents.frequent();
        putInt(UnitGroupDescriptor.INDEXED_LENGTH_OFFSET, indexed.capacity());
        putInt(UnitGroupDescriptor.FREQUENT_WORDS_OFFSET, words.count());
        blocks.put(number, 0, UnitGroupDescriptor.HEADER_LENGTH);
        blocks.put(indexed, 0, indexed.capacity());
        for (int i = 0; i < words.count(); i++) {
            number.putLong(0, words.digest(i), ByteOrder.LITTLE_ENDIAN);
            blocks.put(number, 0, Long.BYTES);
        }
    }

    private void putInt(int offset, int value) {
        number.putInt(offset, value, ByteOrder.LITTLE_ENDIAN);
    }

    private void putExtents(List<? extends TokenUnit> units) {
        for (TokenUnit unit : units) {
            UnitExtent extent = unit.extent();
            number.putLong(0, extent.start(), ByteOrder.LITTLE_ENDIAN);
            number.putLong(8, extent.end(), ByteOrder.LITTLE_ENDIAN);
            putInt(16, extent.rows());
            putInt(20, extent.chunks().length);
            putInt(24, extent.words());
            blocks.put(number, 0, UnitGroupDescriptor.EXTENT_LENGTH);
        }
        for (TokenUnit unit : units) {
            UnitExtent extent = unit.extent();
            for (int i = 0; i < extent.chunks().length; i++) {
                number.putLong(0, extent.chunks()[i], ByteOrder.LITTLE_ENDIAN);
                putInt(8, extent.firstRows()[i]);
                blocks.put(number, 0, UnitGroupDescriptor.CHUNK_LENGTH);
            }
        }
    }

    private void putPart(UnitPart part, List<? extends TokenUnit> units) {
        UnitShape shape = units.get(0).shape();
        int pieces = part.pieces(shape);
        if (pieces == 0) {
            return;
        }
        int pieceLength = part.pieceLength(shape);
        int atOnce = Math.max(1, SLICE_LENGTH / pieceLength);
        UnsafeBuffer slice = new UnsafeBuffer(new byte[atOnce * pieceLength]);
        UnsafeBuffer rows = new UnsafeBuffer(new byte[atOnce * pieceLength * units.size()]);
        for (int first = 0; first < pieces; first += atOnce) {
            int count = Math.min(atOnce, pieces - first);
            for (int i = 0; i < units.size(); i++) {
                units.get(i).copy(part, first, count, slice, 0);
                for (int j = 0; j < count; j++) {
                    rows.putBytes((j * units.size() + i) * pieceLength, slice, j * pieceLength, pieceLength);
                }
            }
            blocks.put(rows, 0, count * units.size() * pieceLength);
        }
    }
}
