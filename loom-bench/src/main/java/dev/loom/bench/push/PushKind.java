package dev.loom.bench.push;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The ways of storing records, by the names that benchmarks take. */
public enum PushKind {
    /** Clock, stores, checksums and writes, and nothing else. */
    LIMIT,
    /** The limit, with one clock reading for 64 records. */
    LIMIT_BATCH,
    /** The limit, with tail and chain head published after each record. */
    LIMIT_PUBLISH_1,
    /** The limit, with tail and chain head published after every 64th record. */
    LIMIT_PUBLISH_64,
    /** The limit, with its files synced every second. */
    LIMIT_SYNCED,
    LOOM,
    LOOM_OFFER,
    LOOM_BATCH,
    LOOM_CLAIM,
    RAW_FILE,
    CLOCK,
    DISK;

    private static final long SYNC_INTERVAL_NS = 1_000_000_000L;

    /** The name on command lines and in results: lower case, with dashes. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Parses a name. */
    public static PushKind parse(String text) {
        return Arrays.stream(values())
                .filter(kind -> kind.text().equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown target: name=" + text + ", known="
                        + Arrays.stream(values()).map(PushKind::text).collect(Collectors.joining(","))));
    }

    /** Opens a target with its own files. */
    public PushTarget open(PushSettings settings, PayloadPool pool) {
        final TargetFiles files = new TargetFiles(settings);
        try {
            return switch (this) {
                case LIMIT -> new LimitLoop(settings, pool, files, 1, 0, 0);
                case LIMIT_BATCH -> new LimitLoop(settings, pool, files, PayloadPool.COUNT, 0, 0);
                case LIMIT_PUBLISH_1 -> new LimitLoop(settings, pool, files, 1, 1, 0);
                case LIMIT_PUBLISH_64 -> new LimitLoop(settings, pool, files, 1, 64, 0);
                case LIMIT_SYNCED -> new LimitLoop(settings, pool, files, 1, 0, SYNC_INTERVAL_NS);
                case LOOM -> new LoomPush(settings, pool, files);
                case LOOM_OFFER -> new LoomOffer(settings, pool, files);
                case LOOM_BATCH -> new LoomBatch(settings, pool, files);
                case LOOM_CLAIM -> new LoomClaim(settings, pool, files);
                case RAW_FILE -> new RawFile(settings, pool, files);
                case CLOCK -> new ClockLoop(files);
                case DISK -> new DiskLoop(settings, files);
            };
        } catch (final RuntimeException | Error e) {
            files.close();
            throw e;
        }
    }
}
