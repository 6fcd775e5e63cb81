package dev.loom.bench.replay;

import java.util.Arrays;
import java.util.Locale;

/** The systems that a workload is replayed into. */
public enum SinkKind {
    /** An embedded store. */
    LOOM,
    /** Files without any index. */
    RAWFILE,
    /** A DuckDB database in the sink's process. */
    DUCKDB,
    /** ClickHouse, in a process of Python's. */
    CLICKHOUSE,
    /** InfluxDB 1.x, a process of its own. */
    INFLUXDB;

    /** Its name in options and reports. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The kind of this name. */
    public static SinkKind parse(String text) {
        return Arrays.stream(values())
                .filter(kind -> kind.text().equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "unknown system: name=" + text + ", known=" + Arrays.toString(values())));
    }

    /** What a system needs that the settings do not have; empty if nothing. */
    public String missing(SinkSettings settings) {
        return switch (this) {
            case CLICKHOUSE -> settings.python().isEmpty() ? "option python names no Python with chdb" : "";
            case INFLUXDB -> settings.influxd().isEmpty() ? "option influxd names no program" : "";
            default -> "";
        };
    }

    Sink open(SinkSettings settings) throws Exception {
        return switch (this) {
            case LOOM -> new LoomSink(settings);
            case RAWFILE -> new RawFileSink(settings);
            case DUCKDB -> new DuckDbSink(settings);
            case CLICKHOUSE -> new ClickHouseSink(settings);
            case INFLUXDB -> new InfluxDbSink(settings);
        };
    }
}
