package dev.loom.record;

/** The record log, whole or from a time on, as one unlisted part. */
public final class AllChunks extends Chunks {
    private final SnapshotView snapshot;
    private final int sourceId;
    private final long fromNs;
    private long bytesRead;
    private boolean given;

    /** Makes a walk over the whole log, for a scan without the timestamp index. */
    public AllChunks(SnapshotView snapshot, int sourceId) {
        this(snapshot, sourceId, Long.MIN_VALUE);
    }

    /**
     * Makes a walk that may skip what is older than a time.
     *
     * @param sourceId the source to read, or -1 for all sources
     */
    public AllChunks(SnapshotView snapshot, int sourceId, long fromNs) {
        this.snapshot = snapshot;
        this.sourceId = sourceId;
        this.fromNs = fromNs;
    }

    @Override
    int sourceId() {
        return sourceId;
    }

    @Override
    public boolean next() {
        if (given || snapshot.recordBegin() >= snapshot.recordTail()) {
            return false;
        }
        given = true;
        unlisted(Math.max(snapshot.recordBegin(), firstChunk()), snapshot.recordTail());
        return true;
    }

    /** The address of the last chunk known to begin before the time, which all earlier ones then do; or 0. */
    private long firstChunk() {
        if (fromNs == Long.MIN_VALUE) {
            return 0;
        }
        try (DirectoryReader entries = new DirectoryReader(snapshot.times(), snapshot.timeTail())) {
            boolean found = entries.seekBefore(fromNs) && entries.chunkAddress() < snapshot.recordTail();
            bytesRead = entries.bytesRead();
            return found ? entries.chunkAddress() : 0;
        }
    }

    @Override
    long entriesRejected() {
        return 0;
    }

    @Override
    public long bytesRead() {
        return bytesRead;
    }

    @Override
    public void close() {}
}
