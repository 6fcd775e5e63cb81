package dev.loom.filter;

import dev.loom.format.IndexedText;
import dev.loom.text.TokenCondition;
import dev.loom.text.TokenDigest;
import dev.loom.text.TokenReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.MutableDirectBuffer;

/**
 * Assembles units of one source, chunk by chunk and row by row. Finds the source's frequent words as it goes along; each unit is built
 * with the table that the units before it gave. Reused for unit after unit; for one thread. Rows allocate nothing.
 */
public final class UnitAssembler implements RowTokens.Sink {
    /** The distinct words that are not frequent beyond which a unit ends, for each byte of their filter. */
    private static final double FILL_MAX = 0.25;

    /** The chunks of a unit: of a rare source among others, a unit has those that its last rows lie in. */
    static final int CHUNKS_MAX = UnitGroupDescriptor.GROUP_CHUNKS_MAX / UnitGroupDescriptor.UNITS_MAX;

    /** One row of this many is looked at for frequent words. */
    private static final int SAMPLE = 8;

    private static final int KNOWN = 1 << 12;

    private final IndexedText indexed;
    private final UnitShape shape;
    private final int rowsMax;
    private final UnitBuilder builder;
    private final WordCollector collector;
    private final boolean collects;
    private FrequentWords frequent;

    /** Words that the unit has already, by the states of their digests: filters learn nothing more of them. */
    private final long[] known = new long[KNOWN];
    /** The count of each known word, or the complement of its list if the word is not frequent. */
    private final int[] places = new int[KNOWN];

    private final List<Long> chunks = new ArrayList<>();
    private final List<Integer> firstRows = new ArrayList<>();
    private long start;
    private long end;
    private long wordsRead;
    /** Whether the row's words are looked at for frequent ones. */
    private boolean sampled;

    UnitAssembler(IndexedText indexed, UnitShape shape, int rowsMax, WordCollector collector, boolean collects) {
        this.collects = collects;
        this.indexed = indexed;
        this.shape = shape;
        this.rowsMax = rowsMax;
        this.builder = new UnitBuilder(shape);
        this.collector = collector;
        this.frequent = collector.table();
        forgetKnown();
    }

    /** The bytes that an assembler takes. */
    static long length(UnitShape shape) {
        return lengthOfUnit(shape) + WordCollector.length();
    }

    /** The bytes of them that are not the collector's. */
    static long lengthOfUnit(UnitShape shape) {
        return UnitBuilder.length(shape) + 12L * KNOWN + CHUNKS_MAX * 40L;
    }

    /** Whether a chunk with this number of rows belongs to another unit. */
    public boolean isFull(long rows) {
        return builder.rows() > 0 && (builder.rows() + rows > rowsMax || chunks.size() == CHUNKS_MAX || fill() >= 1);
    }

    /** Whether a chunk with this number of rows fits no unit. */
    public boolean isTooLarge(long rows) {
        return rows > UnitShape.ROWS_MAX;
    }

    /** Begins a chunk, whose rows follow. */
    public void beginChunk(long address) {
        if (chunks.isEmpty()) {
            start = address;
        }
        chunks.add(address);
        // rows of chunks that were dropped count as the next one's
        firstRows.add(firstRows.isEmpty() ? 0 : builder.rows());
    }

    /** Ends the chunk. */
    public void endChunk(long to) {
        end = to;
    }

    /** Gives up the chunk that began last, as its rows could not all be read. */
    public void dropChunk() {
        chunks.remove(chunks.size() - 1);
        firstRows.remove(firstRows.size() - 1);
    }

    /** Begins a row, whose tokens follow. */
    public void nextRow() {
        builder.nextRow();
        sampled = collects && builder.rows() % SAMPLE == 1;
        if (sampled) {
            collector.nextRow();
        }
    }

    @Override
    public void onWord(TokenReader token) {
        wordsRead++;
        long state = token.state();
        int slot = knownSlot(state);
        if (known[slot] != state) {
            addUnknown(token, state, slot);
        } else if (places[slot] >= 0) {
            builder.countRow(places[slot]);
        } else {
            builder.listRow(~places[slot]);
        }
        if (sampled) {
            collector.add(TokenDigest.finish(state));
        }
    }

    private static int knownSlot(long state) {
        return (int) state & (KNOWN - 1); // a state is mixed well
    }

    private void addUnknown(TokenReader token, long state, int slot) {
        known[slot] = state;
        places[slot] = add(TokenDigest.finish(state));
        addPrefixes(token);
    }

    /** Takes a second pass over the token's beginning, as most words were seen before. */
    private void addPrefixes(TokenReader token) {
        int most = shape.prefixBits() == 0 ? 0 : Math.min(token.length(), shape.prefixLength());
        long state = TokenDigest.EMPTY;
        for (int i = 0; i < most && TokenCondition.isPrefixPart(token.codePoint(i)); i++) {
            state = TokenDigest.add(state, token.codePoint(i));
            builder.addPrefix(TokenDigest.finish(state));
        }
    }

    @Override
    public void onValue(long digest) {
        wordsRead++;
        add(digest);
        if (sampled) {
            collector.add(digest);
        }
    }

    /** Returns the word's count, or the complement of its list. */
    private int add(long digest) {
        return frequent.contains(digest) ? builder.addFrequent(digest) : ~builder.addRare(digest);
    }

    /** The rows of the unit so far. */
    public int rows() {
        return builder.rows();
    }

    /** The words and values read so far, of all units. */
    public long wordsRead() {
        return wordsRead;
    }

    /** How full the unit's largest filter is: 1 where a unit ends for it. */
    double fill() {
        return builder.rareWords() / (FILL_MAX * (1 << shape.rareBits()));
    }

    UnitShape shape() {
        return shape;
    }

    /** Whether the unit holds anything. */
    public boolean isEmpty() {
        return chunks.isEmpty();
    }

    UnitContents contents() {
        return new UnitContents(indexed, frequent);
    }

    /** The unit, for copying before the next one begins. */
    TokenUnit unit() {
        return builder.unit(new UnitExtent(
                start,
                end,
                builder.rows(),
                builder.words(),
                chunks.stream().mapToLong(Long::longValue).toArray(),
                firstRows.stream().mapToInt(Integer::intValue).toArray()));
    }

    /** Copies pieces of a part of the unit so far, one after the other. */
    void copy(UnitPart part, int firstPiece, int pieces, MutableDirectBuffer into) {
        builder.copy(part, firstPiece, pieces, into, 0);
    }

    /** Copies a list of rows of the unit so far. Returns their number. */
    int copyList(int list, MutableDirectBuffer into) {
        return builder.copyList(list, into, 0);
    }

    /** Begins the next unit, with the frequent words as they are known now. */
    public void clear() {
        builder.clear();
        chunks.clear();
        firstRows.clear();
        forgetKnown();
        collector.endPeriod();
        frequent = collector.table();
    }

    private void forgetKnown() {
        Arrays.fill(known, 0);
        known[knownSlot(0)] = 1; // a state of 0 would be there, one of 1 is not looked for there
    }

    /** Begins the unit again, as if its rows had not been. */
    public void reset() {
        builder.clear();
        chunks.clear();
        firstRows.clear();
        forgetKnown();
    }
}
