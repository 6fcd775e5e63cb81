package dev.loom.filter;

import dev.loom.error.CorruptStoreException;
import dev.loom.error.StoreIoException;
import dev.loom.format.IndexedText;
import dev.loom.text.TokenReader;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Builds the units of a source again from their records, and compares: a stored unit has all that its records give it, so that no
 * search misses one. It may have more, which costs reads alone: an earlier version may have taken more of the same records. A unit
 * whose chunks can't all be read whole is left out, and so is a file that can't be used. Takes what the largest file's extents take,
 * and units of {@value #BUILT_LENGTH_MAX} bytes. For one thread.
 */
public final class UnitAudit implements RowTokens.Sink, AutoCloseable {
    /** The bytes of built units that are compared at once: each time, the file is read as a whole. */
    private static final long BUILT_LENGTH_MAX = 32L << 20;

    private static final int SLICE_LENGTH = 8 << 10;

    /** Receives what is wrong. */
    public interface Faults {
        /** Called once per unit. */
        void onFault(UnitFiles.UnitFile file, String message);
    }

    private final GroupCursor groups;
    private final Faults faults;
    private @Nullable UnitGroup group;
    /** Units that were built whole, and their numbers. */
    private final List<UnitAssembler> built = new ArrayList<>();

    private final List<Integer> numbers = new ArrayList<>();
    private @Nullable WordCollector collector;

    /** The unit whose chunks come; -1 for none. */
    private int number = -1;

    private @Nullable UnitExtent extent;
    /** What it is built with; null if it is left out. */
    private @Nullable UnitAssembler assembler;
    /** The chunks of the unit that were read. */
    private int chunksRead;

    public UnitAudit(UnitFiles files, long storeId, int sourceId, Faults faults) {
        this.groups = new GroupCursor(files, storeId, sourceId);
        this.faults = faults;
    }

    /** Whether the source has no units. */
    public boolean isEmpty() {
        return groups.isEmpty();
    }

    /**
     * Goes on to a chunk; they ascend.
     *
     * @param records of the source, as its directory has them
     * @return whether its rows follow; else it need not be read
     */
    public boolean beginChunk(long address, long records) {
        UnitGroup in = move(address);
        int at = in == null ? -1 : in.extents().unitAt(address);
        if (at != number) {
            endUnit();
            in = group; // none if that could not be read
            number = in == null ? -1 : at;
            extent = number < 0 || in == null ? null : extent(in);
            assembler = extent == null || in == null ? null : newAssembler(in);
        }
        UnitAssembler unit = assembler;
        UnitExtent known = extent;
        if (known == null || unit == null) {
            return false;
        }
        int place = known.find(address, chunksRead - 1);
        if (place < 0) {
            return false; // searches read it
        }
        if (place != chunksRead || known.chunkRows(place) != records) {
            // a chunk before can't be read now, or one could not be read then: its rows count as the next one's
            leaveOut();
            return false;
        }
        unit.beginChunk(address);
        return true;
    }

    /** Begins a row of the chunk, whose tokens follow. */
    public void nextRow() {
        unit().nextRow();
    }

    @Override
    public void onWord(TokenReader token) {
        unit().onWord(token);
    }

    @Override
    public void onValue(long digest) {
        unit().onValue(digest);
    }

    private UnitAssembler unit() {
        UnitAssembler unit = assembler;
        if (unit == null) {
            throw new IllegalStateException("no chunk has begun");
        }
        return unit;
    }

    /** Ends a chunk that was read whole. */
    public void endChunk() {
        chunksRead++;
    }

    /** Leaves the unit out, as not all of its records could be read. */
    public void leaveOut() {
        assembler = null;
    }

    /** Ends the source. */
    public void finish() {
        endUnit();
        compare();
    }

    private @Nullable UnitGroup move(long address) {
        if (!groups.holds(address)) {
            finish();
        }
        UnitGroup moved = groups.groupAt(address);
        group = moved;
        return moved;
    }

    /** The extent of the unit that begins; null if it can't be read. */
    private @Nullable UnitExtent extent(UnitGroup in) {
        try {
            return in.extent(number);
        } catch (CorruptStoreException | StoreIoException e) {
            return null;
        }
    }

    /** Null for a unit that is larger than any that is built: only a file that lies has one. */
    private @Nullable UnitAssembler newAssembler(UnitGroup of) {
        if (UnitAssembler.lengthOfUnit(of.shape()) > BUILT_LENGTH_MAX) {
            return null;
        }
        WordCollector words = collector;
        if (words == null || !words.table().equals(of.contents().frequent())) {
            words = new WordCollector(of.contents().frequent());
            collector = words;
        }
        return new UnitAssembler(of.contents().indexed(), of.shape(), UnitShape.ROWS_MAX, words, false);
    }

    /** The fields of the unit whose chunk has begun. */
    public IndexedText indexed() {
        return group().contents().indexed();
    }

    private UnitGroup group() {
        UnitGroup open = group;
        if (open == null) {
            throw new IllegalStateException("no unit has begun");
        }
        return open;
    }

    private void endUnit() {
        UnitAssembler unit = assembler;
        if (unit != null && chunksRead == group().extents().chunks(number)) {
            built.add(unit);
            numbers.add(number);
            if ((built.size() + 1) * UnitAssembler.lengthOfUnit(unit.shape()) > BUILT_LENGTH_MAX) {
                compare();
            }
        }
        number = -1;
        assembler = null;
        chunksRead = 0;
    }

    /** Compares what was built. A file that can't be read is left to those who check its blocks. */
    private void compare() {
        if (built.isEmpty()) {
            return;
        }
        UnitGroup stored = group();
        try {
            Set<Integer> faulty = new HashSet<>();
            for (UnitPart part : UnitPart.values()) {
                compare(stored, part, faulty);
            }
            compareLists(stored, faulty);
        } catch (CorruptStoreException | StoreIoException e) {
            groups.abandon(e);
            group = null;
        }
        built.clear();
        numbers.clear();
    }

    private void compare(UnitGroup stored, UnitPart part, Set<Integer> faulty) {
        UnitShape shape = stored.shape();
        int pieces = part.pieces(shape);
        if (pieces == 0) {
            return;
        }
        int pieceLength = part.pieceLength(shape);
        int atOnce = Math.max(1, SLICE_LENGTH / pieceLength);
        byte[] has = new byte[atOnce * pieceLength];
        byte[] given = new byte[atOnce * pieceLength];
        for (int first = 0; first < pieces; first += atOnce) {
            int count = Math.min(atOnce, pieces - first);
            for (int i = 0; i < built.size(); i++) {
                int unit = numbers.get(i);
                stored.unit(unit).copy(part, first, count, new UnsafeBuffer(has), 0);
                built.get(i).copy(part, first, count, new UnsafeBuffer(given));
                boolean same = Arrays.equals(has, 0, count * pieceLength, given, 0, count * pieceLength);
                if (!same && !covers(part, shape, has, given, count) && faulty.add(unit)) {
                    tell(stored.extents(), unit, part.name());
                }
            }
        }
    }

    private void tell(UnitExtents extents, int unit, String part) {
        faults.onFault(
                groups.file(),
                "unit lacks words of its records: unit=" + unit + ", start=" + extents.start(unit) + ", end="
                        + extents.end(unit) + ", part=" + part);
    }

    private void compareLists(UnitGroup stored, Set<Integer> faulty) {
        UnitShape shape = stored.shape();
        int lists = shape.listRows() == 0 ? 0 : shape.lists();
        UnsafeBuffer has = new UnsafeBuffer(new byte[shape.listRows() * Short.BYTES]);
        UnsafeBuffer given = new UnsafeBuffer(new byte[shape.listRows() * Short.BYTES]);
        RowSet listed = new RowSet();
        RowSet needed = new RowSet();
        for (int list = 0; list < lists; list++) {
            for (int i = 0; i < built.size(); i++) {
                int unit = numbers.get(i);
                int rows = stored.extents().rows(unit);
                RowLists.read(has, 0, stored.unit(unit).copyList(list, has, 0), shape.listRows(), rows, listed);
                RowLists.read(given, 0, built.get(i).copyList(list, given), shape.listRows(), rows, needed);
                if (!listed.containsAll(needed) && faulty.add(unit)) {
                    tell(stored.extents(), unit, "RARE_LISTS");
                }
            }
        }
    }

    /** Whether pieces of a stored unit tell all that pieces of a built one tell. */
    private static boolean covers(UnitPart part, UnitShape shape, byte[] has, byte[] given, int pieces) {
        DirectBuffer stored = new UnsafeBuffer(has);
        DirectBuffer needed = new UnsafeBuffer(given);
        boolean covers = true;
        for (int i = 0; covers && i < pieces; i++) {
            int at = i * part.pieceLength(shape);
            covers = switch (part) {
                case FREQUENT_FIELDS, RARE_FIELDS, PREFIX_FIELDS -> {
                    long bits = needed.getLong(at);
                    yield (stored.getLong(at) & bits) == bits;
                }
                case FREQUENT_COUNTS ->
                    Short.toUnsignedInt(stored.getShort(at, ByteOrder.LITTLE_ENDIAN))
                            >= Short.toUnsignedInt(needed.getShort(at, ByteOrder.LITTLE_ENDIAN));
            };
        }
        return covers;
    }

    @Override
    public void close() {
        groups.close();
    }
}
