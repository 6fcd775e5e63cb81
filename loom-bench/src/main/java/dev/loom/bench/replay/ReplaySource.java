package dev.loom.bench.replay;

import java.util.Map;

/** A source of a workload, with the rate that the paper gives it (Figure 10). */
public enum ReplaySource {
    /** Requests of Redis. */
    REDIS_REQUESTS(0, "requests", RecordKind.REQUEST, 865_000),
    /** System calls of Redis. */
    REDIS_CALLS(1, "syscalls", RecordKind.CALL, 2_700_000),
    /** Packets to Redis. */
    REDIS_PACKETS(2, "packets", RecordKind.PACKET, 3_500_000),
    /** Requests of RocksDB. */
    ROCKSDB_REQUESTS(3, "requests", RecordKind.REQUEST, 4_700_000),
    /** System calls of RocksDB. */
    ROCKSDB_CALLS(4, "syscalls", RecordKind.CALL, 3_200_000),
    /** Pages that the page cache took in for RocksDB. */
    ROCKSDB_PAGES(5, "page_cache", RecordKind.CACHE_EVENT, 39_000);

    private static final ReplaySource[] ALL = values();

    private final int id;
    private final String text;
    private final RecordKind kind;
    private final int rate;

    ReplaySource(int id, String text, RecordKind kind, int rate) {
        this.id = id;
        this.text = text;
        this.kind = kind;
        this.rate = rate;
    }

    /** Its number in batches. */
    int id() {
        return id;
    }

    /** The source of this number. */
    static ReplaySource of(int id) {
        return ALL[id];
    }

    /**
     * What a sink keeps for this source.
     *
     * @throws IllegalArgumentException if the plan lacks the source
     */
    <T> T in(Map<ReplaySource, T> sources) {
        final T kept = sources.get(this);
        if (kept == null) {
            throw new IllegalArgumentException("plan has no such source: source=" + this);
        }
        return kept;
    }

    /** Its name, and that of its table. */
    public String text() {
        return text;
    }

    public RecordKind kind() {
        return kind;
    }

    /** Records a second in the paper. */
    public int rate() {
        return rate;
    }
}
