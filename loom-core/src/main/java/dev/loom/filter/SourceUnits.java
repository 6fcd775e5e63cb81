package dev.loom.filter;

import dev.loom.error.CorruptStoreException;
import dev.loom.error.StoreIoException;
import dev.loom.error.UnsupportedStoreException;
import dev.loom.filter.UnitFiles.UnitFile;
import dev.loom.format.IndexedText;
import dev.loom.io.LoomFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Writes the units of one source. A unit becomes a file of its own; {@value #GROUP} of them are put together into one, and {@value
 * #GROUP} of those once more (ESTELLE, 3.2.1: row and column units). A file is written under another name, made durable, and renamed,
 * so a crash leaves a whole one or none. Memory: {@link #length}, and while files are put together what their readers take. For one
 * thread.
 */
public final class SourceUnits {
    /** The files that are put together at once. */
    static final int GROUP = 16;

    /** The levels of files that are put together: single units, and groups of them. */
    private static final int LEVELS = 2;

    private static final int BITS_MIN = 10;
    private static final int BITS_MAX = 18;
    private static final int BITS_FIRST = 12;
    private static final int BITS_STEP = 2;

    /** After this many files were written, all are counted again. */
    private static final int RECOUNT_EVERY = 64;

    /** A unit that fills less of its filter is followed by one with a smaller filter. */
    private static final double FILL_MIN = 0.15;

    private final UnitFiles files;
    private final long storeId;
    private final int sourceId;
    private final IndexedText indexed;
    private final TextIndexLimits limits;
    private final ByteBuffer memory = BlockReader.newBlocks();
    private final WordCollector collector;
    private UnitAssembler assembler;
    private long indexedTo;
    private int writes;

    /** Goes on behind the units that a source has. */
    public SourceUnits(UnitFiles files, long storeId, int sourceId, IndexedText indexed, TextIndexLimits limits) {
        this.files = files;
        this.storeId = storeId;
        this.sourceId = sourceId;
        this.indexed = indexed;
        this.limits = limits;
        FrequentWords frequent = FrequentWords.NONE;
        int bits = BITS_FIRST;
        List<UnitFile> there = files.ofSource(sourceId);
        if (!there.isEmpty()) {
            UnitFile last = there.get(there.size() - 1);
            indexedTo = last.end();
            try (UnitGroup group = open(last)) {
                frequent = group.contents().frequent();
                bits = group.shape().rareBits();
            } catch (CorruptStoreException | UnsupportedStoreException e) {
                files.delete(last); // and built again
                indexedTo = last.start();
            } catch (StoreIoException e) {
                // it is left to its readers, and nothing is learnt from it
            }
        }
        collector = new WordCollector(limits.lists() ? frequent : FrequentWords.NONE);
        assembler = newAssembler(Math.max(BITS_MIN, Math.min(BITS_MAX, bits)));
    }

    private UnitAssembler newAssembler(int bits) {
        int rowsMax = limits.parameters().unitRows();
        return new UnitAssembler(indexed, limits.shape(bits), rowsMax, collector, limits.lists());
    }

    /** The bytes that an object takes at most. */
    public static long length(TextIndexLimits limits) {
        return UnitAssembler.length(limits.shape(BITS_MAX)) + (64 << 10);
    }

    /** The fields that the units have. */
    public IndexedText indexed() {
        return indexed;
    }

    /** Everything below this address is in units, or never will be. */
    public long indexedTo() {
        return indexedTo;
    }

    /** The unit that is being built. */
    public UnitAssembler assembler() {
        return assembler;
    }

    /**
     * Writes the unit, unless it is empty, and begins the next.
     *
     * @param room whether this number of bytes more may be used; if not, nothing changes
     * @param guard called right before the file appears
     * @return false if there was no room
     */
    public boolean write(LongPredicate room, Runnable guard) {
        if (assembler.isEmpty()) {
            assembler.reset();
            return true;
        }
        TokenUnit unit = assembler.unit();
        if (!write(List.of(unit), assembler.contents(), length(unit, assembler.contents()), room, guard)) {
            return false;
        }
        indexedTo = unit.extent().end();
        double fill = assembler.fill();
        int bits = assembler.shape().rareBits();
        assembler.clear();
        int next = fill >= 1
                ? Math.min(BITS_MAX, bits + BITS_STEP)
                : fill < FILL_MIN ? Math.max(BITS_MIN, bits - BITS_STEP) : bits;
        if (next != bits) {
            assembler = newAssembler(next);
        }
        return true;
    }

    /** The bytes that a file of one unit has. */
    static long length(TokenUnit unit, UnitContents contents) {
        long length = UnitGroupDescriptor.HEADER_LENGTH
                + contents.indexed().toString().getBytes(StandardCharsets.UTF_8).length
                + (long) contents.frequent().count() * Long.BYTES
                + UnitGroupDescriptor.EXTENT_LENGTH
                + (long) unit.extent().chunks().length * UnitGroupDescriptor.CHUNK_LENGTH
                + PackedLists.length(unit);
        for (UnitPart part : UnitPart.values()) {
            length += part.length(unit.shape());
        }
        return (length - 1) / BlockWriter.CONTENTS_LENGTH * BlockWriter.BLOCK_LENGTH + BlockWriter.BLOCK_LENGTH;
    }

    /** @param lengthMax the bytes that the file has at most */
    private boolean write(
            List<? extends TokenUnit> units,
            UnitContents contents,
            long lengthMax,
            LongPredicate room,
            Runnable guard) {
        long start = units.get(0).extent().start();
        long end = units.get(units.size() - 1).extent().end();
        long most = UnitFiles.taken(lengthMax);
        if (!room.test(most)) {
            return false;
        }
        if (++writes % RECOUNT_EVERY == 0) {
            files.recount();
        }
        Path path = files.path(sourceId, start, end, units.size());
        Path temporary = UnitFiles.temporary(path);
        files.count(most);
        long length = 0;
        try {
            guard.run();
            files.storage().createDirectory(files.folder());
            try (LoomFile file = files.storage().openToWrite(temporary, false)) {
                UnitGroupWriter.write(file, storeId, sourceId, contents, units);
                length = file.size();
            }
            guard.run();
            files.storage().rename(temporary, path);
            files.storage().syncDirectory(files.folder());
        } catch (RuntimeException | Error e) {
            length = 0;
            files.storage().delete(temporary);
            throw e;
        } finally {
            files.count(UnitFiles.taken(length) - most);
        }
        return true;
    }

    private UnitGroup open(UnitFile file) {
        return files.open(file, storeId, memory);
    }

    /**
     * Puts files together, where there are enough.
     *
     * @param room whether this number of bytes more may be used while that lasts
     */
    public void putTogether(LongPredicate room, Runnable guard) {
        List<UnitFile> there = files.ofSource(sourceId);
        int last = there.size();
        for (int level = 0; level < LEVELS; level++) {
            int first = last;
            while (first > 0 && level(there.get(first - 1)) == level) {
                first--;
            }
            int count = last - first;
            // those that don't go together stay, and are not tried for each new one
            if (count > 0 && count % GROUP == 0) {
                merge(there.subList(last - GROUP, last), room, guard);
                return;
            }
            last = first;
        }
    }

    /** How often a file was put together. */
    private static int level(UnitFile file) {
        return file.units() == 1 ? 0 : file.units() <= GROUP ? 1 : LEVELS;
    }

    private void merge(List<UnitFile> run, LongPredicate room, Runnable guard) {
        List<UnitGroup> open = new ArrayList<>();
        List<UnitFile> merged = new ArrayList<>();
        try {
            for (UnitFile file : run) {
                @Nullable UnitGroup group = openWhole(file);
                boolean joins = group != null
                        && (open.isEmpty()
                                || (group.contents().equals(open.get(0).contents())
                                        && group.shape().equals(open.get(0).shape())));
                if (!joins) {
                    writeMerged(open, merged, room, guard);
                    open.forEach(UnitGroup::close);
                    open.clear();
                    merged.clear();
                }
                if (group != null) {
                    open.add(group);
                    merged.add(file);
                }
            }
            writeMerged(open, merged, room, guard);
        } finally {
            open.forEach(UnitGroup::close);
        }
    }

    /** Opens a file, or deletes it if it can't be used: its records are searched one by one then. */
    private @Nullable UnitGroup openWhole(UnitFile file) {
        try {
            return files.open(file, storeId, BlockReader.newBlocks());
        } catch (CorruptStoreException | UnsupportedStoreException e) {
            files.delete(file);
            return null;
        } catch (StoreIoException e) {
            if (e.getCause() instanceof NoSuchFileException) {
                return null; // retention has deleted it since it was listed
            }
            throw e;
        }
    }

    private void writeMerged(List<UnitGroup> groups, List<UnitFile> from, LongPredicate room, Runnable guard) {
        if (groups.size() < 2) {
            return;
        }
        List<TokenUnit> units = new ArrayList<>();
        long length = 0;
        for (UnitGroup group : groups) {
            length += group.length(); // together they take less
            for (int i = 0; i < group.units(); i++) {
                units.add(group.unit(i));
            }
        }
        try {
            if (write(units, groups.get(0).contents(), length, room, guard)) {
                from.forEach(files::delete);
            }
        } catch (CorruptStoreException e) {
            // one of them is damaged: they stay as they are, and readers find out which one
        }
    }

    /** Deletes the oldest files beyond the source's budget. */
    public void keepWithin() {
        if (limits.bytesMax() == Long.MAX_VALUE) {
            return;
        }
        List<UnitFile> there = files.ofSource(sourceId);
        long used = 0;
        for (int i = there.size() - 1; i >= 0; i--) {
            used += files.length(there.get(i));
            if (used > limits.bytesMax()) {
                files.delete(there.get(i));
            }
        }
    }
}
