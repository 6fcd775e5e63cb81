package dev.loom.bench.peer;

import java.nio.file.Path;
import java.util.Locale;

/** The stores of other makers that run in the bench's own process. */
public enum PeerKind {
    /** An LSM tree, without a write-ahead log; takes many writers. */
    ROCKSDB("RocksDB through JNI, no write-ahead log, batches of 256, four write buffers of 64 MiB, no compression"),
    /** A B+ tree in a mapped file, in append mode; takes one writer. */
    LMDB("LMDB through JNR, append mode through a writable map, 4,096 records to a transaction, no syncs"),
    /** A queue in mapped files; takes many writers. Needs the flags of {@code loom-bench/chronicle.args}. */
    CHRONICLE("Chronicle Queue with its defaults, an excerpt for each record");

    private final String description;

    PeerKind(String description) {
        this.description = description;
    }

    /** The name on command lines and in results. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** How it is used, in a few words. */
    public String description() {
        return description;
    }

    /** Why it can't be had here, or an empty text. */
    public String missing() {
        final Module base = Object.class.getModule();
        final Module here = PeerKind.class.getModule();
        return this == CHRONICLE && !base.isOpen("java.lang.reflect", here)
                ? "needs the flags of loom-bench/chronicle.args"
                : "";
    }

    /** Opens a new store in a folder that exists. */
    public PeerLog open(Path directory) {
        return switch (this) {
            case ROCKSDB -> new RocksDbLog(directory.resolve("rocksdb"));
            case LMDB -> new LmdbLog(directory.resolve("lmdb"));
            case CHRONICLE -> new ChronicleLog(directory.resolve("chronicle"));
        };
    }
}
