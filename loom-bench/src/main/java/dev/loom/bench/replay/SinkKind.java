package dev.loom.bench.replay;

import dev.loom.bench.peer.PeerKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The systems that telemetry goes into. */
public enum SinkKind {
    /** An embedded store. */
    LOOM,
    /** The same without indexes. */
    LOOM_UNINDEXED,
    /** Files without any index. */
    RAWFILE,
    /** RocksDB in the sink's process. */
    ROCKSDB,
    /** LMDB in the sink's process. */
    LMDB,
    /** Chronicle Queue in the sink's process. */
    CHRONICLE,
    /** A QuestDB server in the sink's process. */
    QUESTDB,
    /** A DuckDB database in the sink's process. */
    DUCKDB,
    /** ClickHouse, in a process of Python's. */
    CLICKHOUSE,
    /** InfluxDB 1.x, a process of its own. */
    INFLUXDB,
    /** A build of the paper's prototype: a program that speaks as {@link SinkProcess} does. */
    PROTOTYPE,
    /** A build of FishStore, likewise. */
    FISHSTORE;

    /** The program in a folder of the prototype's or FishStore's. */
    static final String PROGRAM = "sink";

    /** Its name in options and reports. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The kind of this name. */
    public static SinkKind parse(String text) {
        return Arrays.stream(values())
                .filter(kind -> kind.text().equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown system: name=" + text + ", known="
                        + Arrays.stream(values()).map(SinkKind::text).collect(Collectors.joining(","))));
    }

    /** What a system needs that is not here; empty if nothing. */
    public String missing(SinkPrograms programs) {
        return switch (this) {
            case CHRONICLE -> PeerKind.CHRONICLE.missing();
            case CLICKHOUSE -> programs.python().isEmpty() ? "option python names no Python with chdb" : "";
            case INFLUXDB -> programs.influxd().isEmpty() ? "option influxd names no program" : "";
            case PROTOTYPE -> missing("prototype", programs.prototype());
            case FISHSTORE -> missing("fishstore", programs.fishstore());
            default -> "";
        };
    }

    private static String missing(String option, String folder) {
        if (folder.isEmpty()) {
            return "option " + option + " names no folder";
        }
        return Files.isExecutable(Path.of(folder, PROGRAM)) ? "" : "no such program: file=" + Path.of(folder, PROGRAM);
    }

    /** The program that is the sink's process; empty if that is a JVM with {@link SinkProcess}. */
    List<String> program(SinkPrograms programs) {
        return switch (this) {
            case PROTOTYPE -> List.of(Path.of(programs.prototype(), PROGRAM).toString());
            case FISHSTORE -> List.of(Path.of(programs.fishstore(), PROGRAM).toString());
            default -> List.of();
        };
    }

    /** Whether it is a program that this project does not have. */
    boolean isProgram() {
        return this == PROTOTYPE || this == FISHSTORE;
    }

    Sink open(SinkSettings settings) throws Exception {
        return switch (this) {
            case LOOM -> new LoomSink(settings, true);
            case LOOM_UNINDEXED -> new LoomSink(settings, false);
            case RAWFILE -> new RawFileSink(settings);
            case ROCKSDB -> new PeerLogSink(PeerKind.ROCKSDB, settings);
            case LMDB -> new PeerLogSink(PeerKind.LMDB, settings);
            case CHRONICLE -> new PeerLogSink(PeerKind.CHRONICLE, settings);
            case QUESTDB -> new QuestDbSink(settings);
            case DUCKDB -> new DuckDbSink(settings);
            case CLICKHOUSE -> new ClickHouseSink(settings);
            case INFLUXDB -> new InfluxDbSink(settings);
            case PROTOTYPE, FISHSTORE ->
                throw new IllegalArgumentException("system is a program of its own: name=" + text());
        };
    }
}
