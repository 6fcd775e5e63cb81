package dev.loom.record;

/** The whole record log as one unlisted part, for a scan without the timestamp index. */
public final class AllChunks extends Chunks {
    private final SnapshotView snapshot;
    private final int sourceId;
    private boolean given;

    public AllChunks(SnapshotView snapshot, int sourceId) {
        this.snapshot = snapshot;
        this.sourceId = sourceId;
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
        unlisted(snapshot.recordBegin(), snapshot.recordTail());
        return true;
    }

    @Override
    long entriesRejected() {
        return 0;
    }

    @Override
    public long bytesRead() {
        return 0;
    }

    @Override
    public void close() {}
}
