package dev.loom.rollup;

import dev.loom.error.CorruptStoreException;
import dev.loom.index.BitReader;
import dev.loom.index.BitWriter;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Writes and reads a run's directory as it lies in a file: numbers, each of about as many bits as {@link BitWriter#putNumber} is given. In
 * memory it is laid out as in {@link RunFileDescriptor}.
 * <pre>
 *   start, from the run's first page                     16
 *   end, from the start                                  22, and 6 more of each higher level
 *   last entry, from -1                                  32
 *   bins, back from the directory                        10
 *   chunks                                               7, and 6 more of each higher level
 *   sources                                              1
 *   per source:
 *     id, from the one before, which is -1 of the first  1
 *     records                                            10 more than the chunks have
 *     payload bytes                                      5 more than the records have
 *     first time, from that of the source before         61, then as many as the source before had from first to last
 *     last time, from the first                          30
 *     directory before, back from the last entry         16
 *     its chunk, back from the start                     16
 *     chunks without the source                          0
 *     indexes                                            1
 *     bytes of their totals                              5
 *     the totals                                         8 of each byte
 * </pre>
 * Differences are modulo 2^64, so each value can be written; those of first times are signed, positive ones as even numbers. For one thread.
 */
final class RunDirectoryCodec {
    private static final int PAGE_BITS = 16;
    private static final int ENTRY_BITS = 32;
    private static final int BINS_BITS = 10;
    private static final int RECORDS_BITS = 10;
    private static final int BYTES_BITS = 5;
    private static final int TIME_BITS = 61;
    private static final int SPAN_BITS = 30;
    private static final int TOTALS_BITS = 5;

    private final BitWriter bits = new BitWriter();
    private final ExpandableArrayBuffer totals = new ExpandableArrayBuffer();
    private int totalsLength;
    private int indexes;
    private boolean inSource;
    private long start;
    private long lastEntry;
    private int chunks;
    private final Neighbour before = new Neighbour();

    /** The source written before, relative to which the next one is written. */
    private static final class Neighbour {
        private int id;
        private long firstTimeNs;
        private int timeBits;

        void clear() {
            id = -1;
            firstTimeNs = 0;
            timeBits = TIME_BITS;
        }

        void set(int sourceId, long first, long last) {
            id = sourceId;
            firstTimeNs = first;
            timeBits = length(last - first);
        }
    }

    private static int length(long number) {
        return BitWriter.length(number);
    }

    private static int levelBits(int level) {
        return level * RunShape.shift();
    }

    /** Begins a directory at a place in a buffer; its other parts follow. */
    void begin(
            MutableDirectBuffer buffer,
            int offset,
            int level,
            long number,
            long runStart,
            long end,
            long runLastEntry,
            int binsLength,
            int runChunks,
            int sources) {
        start = runStart;
        lastEntry = runLastEntry;
        chunks = runChunks;
        before.clear();
        inSource = false;
        bits.wrap(buffer, offset);
        bits.putNumber(start - RunShape.begin(level, number), PAGE_BITS);
        bits.putNumber(end - start, PAGE_BITS + levelBits(level));
        bits.putNumber(lastEntry + 1, ENTRY_BITS);
        bits.putNumber(binsLength, BINS_BITS);
        bits.putNumber(chunks, 1 + levelBits(level));
        bits.putNumber(sources, 1);
    }

    void addSource(
            int id,
            long records,
            long payloadBytes,
            long firstTimeNs,
            long lastTimeNs,
            long previousDirectoryAddress,
            long previousChunkAddress,
            int sourceChunks) {
        endSource();
        inSource = true;
        bits.putNumber(id - before.id, 1);
        bits.putNumber(records, length(chunks) + RECORDS_BITS);
        bits.putNumber(payloadBytes, Math.min(Long.SIZE, length(records) + BYTES_BITS));
        bits.putNumber(BitWriter.zigZag(firstTimeNs - before.firstTimeNs), before.timeBits);
        bits.putNumber(lastTimeNs - firstTimeNs, SPAN_BITS);
        bits.putNumber(lastEntry - previousDirectoryAddress, PAGE_BITS);
        bits.putNumber(start - previousChunkAddress, PAGE_BITS);
        bits.putNumber(chunks - (long) sourceChunks, 0);
        before.set(id, firstTimeNs, lastTimeNs);
    }

    /** Where the totals of the source's next index go; {@link #addedTotals} tells where they end. */
    MutableDirectBuffer totals() {
        return totals;
    }

    int totalsLength() {
        return totalsLength;
    }

    void addedTotals(int end) {
        totalsLength = end;
        indexes++;
    }

    private void endSource() {
        if (inSource) {
            bits.putNumber(indexes, 1);
            bits.putNumber(totalsLength, TOTALS_BITS);
            for (int i = 0; i < totalsLength; i++) {
                bits.put(totals.getByte(i), Byte.SIZE);
            }
        }
        totalsLength = 0;
        indexes = 0;
    }

    /** Ends the directory. Returns the offset after it. */
    int finish() {
        endSource();
        inSource = false;
        return bits.finish();
    }

    /**
     * Reads a directory.
     *
     * @param address where it begins in the file
     * @param into where it goes, laid out for use
     * @return its length there
     * @throws CorruptStoreException if it is impossible, or longer than it may be
     */
    int read(BitReader from, int level, long number, long address, MutableDirectBuffer into) {
        start = RunShape.begin(level, number) + from.nextNumber(PAGE_BITS);
        long end = start + from.nextNumber(PAGE_BITS + levelBits(level));
        lastEntry = from.nextNumber(ENTRY_BITS) - 1;
        long bins = address - from.nextNumber(BINS_BITS);
        chunks = count(from, from.nextNumber(1 + levelBits(level)), Integer.MAX_VALUE);
        int sources = count(from, from.nextNumber(1), RunFileDescriptor.SOURCES_MAX);
        if (end < start) {
            throw from.malformed("end");
        }
        putLong(into, RunFileDescriptor.START_OFFSET, start);
        putLong(into, RunFileDescriptor.END_OFFSET, end);
        putLong(into, RunFileDescriptor.LAST_ENTRY_OFFSET, lastEntry);
        putLong(into, RunFileDescriptor.BINS_OFFSET, bins);
        putInt(into, RunFileDescriptor.CHUNKS_OFFSET, chunks);
        putInt(into, RunFileDescriptor.SOURCES_OFFSET, sources);
        before.clear();
        int length = RunFileDescriptor.TABLE_OFFSET + sources * RunFileDescriptor.TABLE_ENTRY_LENGTH;
        for (int i = 0; i < sources; i++) {
            int entry = RunFileDescriptor.TABLE_OFFSET + i * RunFileDescriptor.TABLE_ENTRY_LENGTH;
            length = readSource(from, into, entry, length);
        }
        return length;
    }

    private int readSource(BitReader from, MutableDirectBuffer into, int entry, int part) {
        if (part + RunFileDescriptor.SUMMARIES_OFFSET > RunFileDescriptor.LENGTH_MAX) {
            throw from.malformed("too long");
        }
        long distance = from.nextNumber(1);
        if (distance <= 0 || distance > Integer.MAX_VALUE - Math.max(0, before.id)) {
            throw from.malformed("source");
        }
        int id = before.id + (int) distance;
        putInt(into, entry, id);
        putInt(into, entry + Integer.BYTES, part);
        long records = from.nextNumber(length(chunks) + RECORDS_BITS);
        putLong(into, part + RunFileDescriptor.RECORDS_OFFSET, records);
        putLong(
                into,
                part + RunFileDescriptor.BYTES_OFFSET,
                from.nextNumber(Math.min(Long.SIZE, length(records) + BYTES_BITS)));
        long firstTimeNs = before.firstTimeNs + BitReader.signed(from.nextNumber(before.timeBits));
        long lastTimeNs = firstTimeNs + from.nextNumber(SPAN_BITS);
        putLong(into, part + RunFileDescriptor.FIRST_TIME_OFFSET, firstTimeNs);
        putLong(into, part + RunFileDescriptor.LAST_TIME_OFFSET, lastTimeNs);
        putLong(into, part + RunFileDescriptor.PREVIOUS_OFFSET, lastEntry - from.nextNumber(PAGE_BITS));
        putLong(into, part + RunFileDescriptor.PREVIOUS_CHUNK_OFFSET, start - from.nextNumber(PAGE_BITS));
        putInt(into, part + RunFileDescriptor.SOURCE_CHUNKS_OFFSET, (int) (chunks - from.nextNumber(0)));
        before.set(id, firstTimeNs, lastTimeNs);
        int at = part + RunFileDescriptor.SUMMARIES_OFFSET;
        putInt(into, part + RunFileDescriptor.INDEXES_OFFSET, count(from, from.nextNumber(1), Integer.MAX_VALUE));
        int bytes = count(from, from.nextNumber(TOTALS_BITS), RunFileDescriptor.LENGTH_MAX - at);
        for (int i = 0; i < bytes; i++) {
            into.putByte(at + i, (byte) from.next(Byte.SIZE));
        }
        return at + bytes;
    }

    private static int count(BitReader from, long number, int max) {
        if (number < 0 || number > max) {
            throw from.malformed("number");
        }
        return (int) number;
    }

    private static void putLong(MutableDirectBuffer into, int offset, long value) {
        into.putLong(offset, value, RunFileDescriptor.ORDER);
    }

    private static void putInt(MutableDirectBuffer into, int offset, int value) {
        into.putInt(offset, value, RunFileDescriptor.ORDER);
    }
}
