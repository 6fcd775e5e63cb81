package dev.loom.record;

import dev.loom.api.ProgressHandler;
import dev.loom.log.Evictor;
import dev.loom.log.HybridLog;
import dev.loom.log.LogView;
import dev.loom.log.PageDescriptor;
import java.nio.ByteBuffer;
import java.util.concurrent.CancellationException;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The open chunk of the record log: a page, or the pages of a jumbo record that began in the first one. Appends records
 * and links them, closes the chunk, and begins the next. Owned by the writer's thread.
 */
final class ChunkWriter {
    private final HybridLog log;
    private final UnsafeBuffer ring;
    private ByteBuffer ringBytes;
    private final WriterSources sources;
    private final ChunkDirectory directory;
    private final CheckpointWriter checkpoints;
    private final LossLedger losses;
    private final Backpressure pressure;
    private final Evictor evictor;

    private long pageBaseTimeNs;
    private long chunkAddress = -1;
    private long firstTimeNs;
    private int pages;

    ChunkWriter(
            HybridLog log,
            WriterSources sources,
            ChunkDirectory directory,
            CheckpointWriter checkpoints,
            LossLedger losses,
            Backpressure pressure,
            Evictor evictor) {
        this.log = log;
        this.ring = log.ring();
        this.ringBytes = log.ringBytes();
        this.sources = sources;
        this.directory = directory;
        this.checkpoints = checkpoints;
        this.losses = losses;
        this.pressure = pressure;
        this.evictor = evictor;
    }

    /** Continues in the ring that the log was moved to. */
    void moved() {
        ringBytes = log.ringBytes();
    }

    /**
     * Writes the directories of chunks from an address to the log's end, which the last session left without.
     *
     * @param lastTimeNs the time of the log's last record, or later
     */
    void rebuildDirectories(LogView records, long from, long lastTimeNs, ProgressHandler progress) {
        long to = log.tail();
        DirectoryRebuilder.Handler handler = new DirectoryRebuilder.Handler() {
            @Override
            public void onChunk(long address) {
                if (!progress.onProgress(address - from, to - from)) {
                    throw new CancellationException("rebuild was cancelled: record address=" + address);
                }
            }

            @Override
            public void beforeDirectory(long address) {
                directory.awaitRoom(pressure);
            }

            @Override
            public void onLeftOut(long recordEnd, long timeNs) {
                writeCheckpoint(recordEnd, timeNs);
            }
        };
        new DirectoryRebuilder(directory, sources, handler).rebuild(records, from, to, lastTimeNs);
    }

    /** The base time of the last page. */
    long pageBaseTimeNs() {
        return pageBaseTimeNs;
    }

    /** The address that the next record gets, if it fits. */
    long tail() {
        return log.tail();
    }

    /** Whether the open page takes a payload. Pages and records are aligned, so it then fits with its padding. */
    boolean fits(int length, long timeNs) {
        return length >= 0
                && log.remaining() - RecordDescriptor.HEADER_LENGTH >= length
                && timeNs - pageBaseTimeNs <= RecordDescriptor.TIME_DELTA_MAX;
    }

    /**
     * Appends a record that {@link #fits}, whose payload's bounds are checked already.
     *
     * @param publish false if {@link #publish()} follows
     * @return its address
     */
    long append(SourceState source, long timeNs, DirectBuffer payload, int offset, int length, boolean publish) {
        int at = log.offset();
        copy(payload, offset, length, at + RecordDescriptor.HEADER_LENGTH);
        return commit(source, timeNs, at, length, publish);
    }

    /** A single word is copied faster here than by the JVM's stub. */
    private void copy(DirectBuffer payload, int offset, int length, int at) {
        if (length == Long.BYTES) {
            ring.putLong(at, payload.getLong(offset));
        } else {
            ring.putBytes(at, payload, offset, length);
        }
    }

    /** Makes a buffer a view of the next record's payload, which {@link #fits}. */
    void wrapNext(MutableDirectBuffer view, int length) {
        view.wrap(ring, log.offset() + RecordDescriptor.HEADER_LENGTH, length);
    }

    /** As {@link #append}, with the payload already in place. */
    long commit(SourceState source, long timeNs, int length) {
        return commit(source, timeNs, log.offset(), length, true);
    }

    private long commit(SourceState source, long timeNs, int at, int length, boolean publish) {
        long address = link(
                source, at, RecordDescriptor.WHOLE, length, length, timeNs, RecordDescriptor.alignedLength(length));
        if (publish) {
            log.publish();
        }
        if (source.indexed) {
            source.summary.addInPlace(ring, at + RecordDescriptor.HEADER_LENGTH, length);
        }
        return address;
    }

    /**
     * Stores the header of a record at the tail, moves the tail by its bytes, and links it into its source's chain; last, and without a call,
     * as the stack may overflow in one.
     */
    long link(SourceState source, int at, int type, int length, int payloadLength, long timeNs, int advance) {
        long address = log.tail();
        long back = 0;
        if (source.chunkAddress == chunkAddress) {
            back = (address - source.lastAddress) >>> RecordDescriptor.ALIGNMENT_SHIFT;
        } else {
            StackProbe.requireSome();
            directory.add(source, chunkAddress, timeNs);
        }
        putHeader(at, RecordDescriptor.word0(length, type, back), source.id, timeNs);
        log.advance(advance);
        source.lastAddress = address;
        source.lastTimeNs = timeNs;
        source.chunkRecords++;
        source.chunkBytes += payloadLength;
        return address;
    }

    private void putHeader(int at, long word0, int sourceId, long timeNs) {
        ringBytes.putLong(at + RecordDescriptor.WORD0_OFFSET, word0);
        ringBytes.putLong(
                at + RecordDescriptor.WORD1_OFFSET, RecordDescriptor.word1(sourceId, timeNs - pageBaseTimeNs));
    }

    /** Makes records visible that were appended but not published. */
    void publish() {
        log.publish();
    }

    /** Begins chunks until a payload fits, since loss markers may take half of one. Returns 0 or a status. */
    long makeRoom(SourceState source, int length, long timeNs, boolean wait) {
        long status = 0;
        while (status == 0 && !fits(length, timeNs)) {
            status = next(source, timeNs, 1, wait);
        }
        return status;
    }

    /**
     * Closes the open chunk, and begins the next. Returns 0, or a status, in which case nothing has changed.
     *
     * @param source as for {@link Backpressure#await}
     * @param pagesMin the pages that must have room
     */
    long next(@Nullable SourceState source, long timeNs, int pagesMin, boolean wait) {
        evictor.checkAlive();
        long status = hasRoom(pagesMin) ? 0 : pressure.await(source, timeNs, () -> hasRoom(pagesMin), wait);
        if (status < 0) {
            return status;
        }
        StackProbe.requireMuch();
        closeChunk(timeNs);
        beginPage(timeNs, false);
        chunkAddress = log.pageAddress();
        firstTimeNs = timeNs;
        pages = 1;
        if (losses.unmarked()) {
            markLosses(timeNs);
        }
        return 0;
    }

    /** Whether these pages can begin, and the open chunk's directory can be written, without waiting. */
    private boolean hasRoom(int pagesMin) {
        return log.hasRoom(pagesMin) && directory.hasRoom() && directory.binsHaveRoom();
    }

    private void beginPage(long timeNs, boolean continues) {
        log.beginPage(timeNs, log.tail(), continues);
        pageBaseTimeNs = timeNs;
    }

    /** Marks losses in the chunk just begun, in at most half of it. */
    private void markLosses(long timeNs) {
        UnsafeBuffer marker = losses.buffer();
        losses.beginMarking();
        try {
            while (log.remaining() > PageDescriptor.PAGE_LENGTH / 2 && losses.nextMark(timeNs, log.tail())) {
                append(sources.own(), timeNs, marker, 0, OwnRecord.LENGTH, true);
                losses.marked();
            }
        } finally {
            losses.endMarking();
        }
    }

    /** Whether a payload that fits the open page may be the first fragment of a jumbo, since no other began here. */
    boolean takesJumbo(int fragmentMin, long timeNs) {
        return log.pageOpen() && pages == 1 && fits(fragmentMin, timeNs);
    }

    /** Continues the chunk in another page, filled with one more fragment of a source's record. Requires room. */
    void appendFragment(SourceState source, int type, long timeNs, DirectBuffer payload, int offset, int length) {
        log.sealPage(timeNs);
        beginPage(timeNs, true);
        pages++;
        int at = log.offset();
        ring.putBytes(at + RecordDescriptor.HEADER_LENGTH, payload, offset, length);
        putHeader(at, RecordDescriptor.word0(length, type, 0), source.id, timeNs);
        log.advance(RecordDescriptor.alignedLength(length));
    }

    /** Hands the sealed pages to the evictor. */
    void publishSealed() {
        log.publishSealed();
        evictor.onSealed();
    }

    /** @param timeNs the time of the log's last record */
    private void closeChunk(long timeNs) {
        if (!log.pageOpen()) {
            return;
        }
        log.sealPage(lastRecordTimeNs());
        log.publish();
        directory.write(chunkAddress, pages, firstTimeNs, lastRecordTimeNs());
        publishSealed();
        if (checkpoints.due(log.tail()) && checkpoints.hasRoom(sources.count())) {
            writeCheckpoint(log.tail(), timeNs);
        }
    }

    private long lastRecordTimeNs() {
        return Math.max(directory.lastTimeNs(), pageBaseTimeNs);
    }

    private void writeCheckpoint(long recordEnd, long timeNs) {
        checkpoints.write(sources.states(), recordEnd, timeNs, () -> pressure.awaitOrFail(checkpoints::hasPartRoom));
    }

    /** Ends the open chunk, and the open pages of the indexes. Waits for room. */
    void seal(long timeNs) {
        directory.awaitRoom(pressure);
        closeChunk(timeNs);
        directory.seal();
    }

    /** Writes a checkpoint after {@link #seal}. */
    void sealCheckpoint(long timeNs) {
        writeCheckpoint(log.tail(), timeNs);
        directory.seal();
    }
}
