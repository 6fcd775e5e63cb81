package dev.loom.bench.probe;

import dev.loom.bench.peer.PeerKind;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** The places where telemetry goes. */
public enum ProbeSink {
    /** Collected, and discarded at once: the baseline. */
    NOTHING,
    RAW_FILE,
    LOOM_UNINDEXED,
    LOOM,
    /** Loom within the application. */
    LOOM_EMBEDDED,
    ROCKSDB,
    LMDB,
    CHRONICLE,
    INFLUXDB;

    /** The name on command lines and in results. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Parses a name. */
    public static ProbeSink parse(String text) {
        return Arrays.stream(values())
                .filter(kind -> kind.text().equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown sink: name=" + text + ", known="
                        + Arrays.stream(values()).map(ProbeSink::text).collect(Collectors.joining(","))));
    }

    /** Why it can't be had here, or an empty text. */
    public String missing() {
        return switch (this) {
            case INFLUXDB -> InfluxFrames.isAvailable() ? "" : "influxd is not installed";
            case CHRONICLE -> PeerKind.CHRONICLE.missing();
            default -> "";
        };
    }

    /** Whether it is a process of its own. */
    public boolean isRemote() {
        return this != NOTHING && this != LOOM_EMBEDDED;
    }

    /** Opens a new store, of those that are processes of their own. */
    FrameStore open(Path directory, Path staging) {
        return switch (this) {
            case RAW_FILE -> new RawFrames(directory);
            case LOOM_UNINDEXED -> new LoomFrames(directory, staging, false);
            case LOOM -> new LoomFrames(directory, staging, true);
            case ROCKSDB -> new PeerFrames(PeerKind.ROCKSDB, directory);
            case LMDB -> new PeerFrames(PeerKind.LMDB, directory);
            case CHRONICLE -> new PeerFrames(PeerKind.CHRONICLE, directory);
            case INFLUXDB -> new InfluxFrames(directory);
            case NOTHING, LOOM_EMBEDDED -> throw new IllegalArgumentException("sink is no process: name=" + text());
        };
    }

    /** Opens an application's way to it. */
    ProbeTelemetry telemetry(int port, Path directory, Path staging) {
        return switch (this) {
            case NOTHING -> new DiscardedTelemetry();
            case LOOM_EMBEDDED -> new EmbeddedTelemetry(directory, staging);
            default -> new SocketTelemetry(port);
        };
    }
}
