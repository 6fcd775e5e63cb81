package dev.loom.bench.scaling;

import dev.loom.bench.peer.PeerKind;
import dev.loom.bench.push.PayloadPool;
import dev.loom.bench.push.PushKind;
import dev.loom.bench.push.PushSettings;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The stores whose ingest is compared. */
public enum ScalingKind {
    /** The least that a log with checksums can do, see {@link PushKind#LIMIT}. */
    LIMIT(1),
    /** The least for batches, see {@link PushKind#LIMIT_BATCH}. */
    LIMIT_BATCH(1),
    /** A file for each thread. */
    RAW_FILE(Integer.MAX_VALUE),
    LOOM(1),
    LOOM_BATCH(1),
    /** Loom behind a ring that many threads write to. */
    LOOM_RECORDER(Integer.MAX_VALUE),
    ROCKSDB(Integer.MAX_VALUE),
    LMDB(1),
    CHRONICLE(Integer.MAX_VALUE);

    private final int threadsMax;

    ScalingKind(int threadsMax) {
        this.threadsMax = threadsMax;
    }

    /** The name on command lines and in results. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Parses a name. */
    public static ScalingKind parse(String text) {
        return Arrays.stream(values())
                .filter(kind -> kind.text().equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown target: name=" + text + ", known="
                        + Arrays.stream(values()).map(ScalingKind::text).collect(Collectors.joining(","))));
    }

    /** Why it can't be had here, or an empty text. */
    public String missing() {
        return this == CHRONICLE ? PeerKind.CHRONICLE.missing() : "";
    }

    /** Whether this many threads can write at once. */
    public boolean takes(int threads) {
        return threads <= threadsMax;
    }

    /** Opens a new store with a number of writers. */
    PushTeam open(PushSettings settings, PayloadPool pool, int threads) {
        return switch (this) {
            case LIMIT -> targets(PushKind.LIMIT, settings, pool, threads);
            case LIMIT_BATCH -> targets(PushKind.LIMIT_BATCH, settings, pool, threads);
            case RAW_FILE -> targets(PushKind.RAW_FILE, settings, pool, threads);
            case LOOM -> targets(PushKind.LOOM, settings, pool, threads);
            case LOOM_BATCH -> targets(PushKind.LOOM_BATCH, settings, pool, threads);
            case LOOM_RECORDER -> new RecorderTeam(settings, pool, threads);
            case ROCKSDB -> new PeerTeam(PeerKind.ROCKSDB, settings, pool, threads);
            case LMDB -> new PeerTeam(PeerKind.LMDB, settings, pool, threads);
            case CHRONICLE -> new PeerTeam(PeerKind.CHRONICLE, settings, pool, threads);
        };
    }

    private static PushTeam targets(PushKind kind, PushSettings settings, PayloadPool pool, int threads) {
        return new TargetTeam(() -> kind.open(settings, pool), threads);
    }
}
