package dev.loom.bench.probe;

import dev.loom.bench.replay.ReplayPlan;
import dev.loom.bench.replay.ReplaySource;
import dev.loom.bench.replay.ReplayWorkload;
import dev.loom.bench.replay.SinkKind;
import dev.loom.bench.replay.SinkPrograms;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where telemetry goes.
 *
 * @param kind the system in a process of its own; null if there is none
 */
public record ProbeSink(String text, @Nullable SinkKind kind) {
    /** Collected, and discarded at once: the baseline. */
    public static final ProbeSink NOTHING = new ProbeSink("nothing", null);

    /** Loom within the application. */
    public static final ProbeSink LOOM_EMBEDDED = new ProbeSink("loom-embedded", null);

    /** What a sink in a process of its own must know: requests, system calls, and pages put into the page cache. */
    public static final ReplayPlan PLAN = new ReplayPlan(ReplayWorkload.ROCKSDB, ReplayWorkload.PHASES, 1, 1, 1, 1);

    /** The sources of telemetry: the application's requests, its system calls, and the page cache. */
    public static final List<ReplaySource> SOURCES = PLAN.workload().sources(PLAN.phase());

    /** Parses a name. */
    public static ProbeSink parse(String text) {
        if (text.equals(NOTHING.text)) {
            return NOTHING;
        }
        return text.equals(LOOM_EMBEDDED.text) ? LOOM_EMBEDDED : new ProbeSink(text, SinkKind.parse(text));
    }

    /** Why it can't be had here, or an empty text. */
    public String missing(SinkPrograms programs) {
        return kind == null ? "" : kind.missing(programs);
    }

    /** Opens an application's way to it. */
    ProbeTelemetry telemetry(int port, Path directory, Path staging) {
        if (kind != null) {
            return new SocketTelemetry(port);
        }
        return equals(NOTHING) ? new DiscardedTelemetry() : new EmbeddedTelemetry(directory, staging);
    }
}
