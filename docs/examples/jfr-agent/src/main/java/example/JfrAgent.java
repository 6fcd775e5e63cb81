package example;

import dev.loom.Loom;
import dev.loom.Recorder;
import dev.loom.api.Bins;
import dev.loom.api.DropPolicy;
import dev.loom.api.IndexFunction;
import dev.loom.api.Source;
import dev.loom.format.Formats;
import dev.loom.format.StructFormat;
import dev.loom.format.StructWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingStream;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Records what the JVM tells by JFR of any program: {@code java -javaagent:jfr-agent.jar=DIRECTORY ...}. The JVM hands its
 * events over about once a second; those of the last one before its end are not recorded.
 */
public final class JfrAgent {
    private static final StructFormat FORMAT =
            Formats.struct("start_ns:i64,duration_ns:i64,bytes:i64,thread:utf8,subject:utf8");
    private static final int TEXT_LENGTH_MAX = 500;

    /** Tells commands which field is the time of an event, and that it is when this began. */
    private static final Map<String, String> TIMES =
            Map.of("event.field", "start_ns", "event.clock", "wall", "event.at", "start");

    private final Map<Kind, Integer> sources = new EnumMap<>(Kind.class);
    private final UnsafeBuffer payload = new UnsafeBuffer(new byte[4096]);
    private final StructWriter writer = new StructWriter(FORMAT);
    private final Recorder recorder;

    private JfrAgent(Recorder recorder) {
        this.recorder = recorder;
        for (Kind kind : Kind.values()) {
            sources.put(kind, define(kind));
        }
    }

    /** Indexes that are there stay as they are; a process that was killed may have left a source without them. */
    private int define(Kind kind) {
        int id = recorder.source(kind.sourceName())
                .filter(known -> !known.closed())
                .map(Source::id)
                .orElseGet(() -> recorder.defineSource(kind.sourceName(), FORMAT, TIMES, DropPolicy.refuse()));
        String field = kind.indexedField();
        recorder.defineIndex(id, field, IndexFunction.field(FORMAT, field), Bins.logLinear());
        recorder.defineEventTimeIndex(id, "start_ns", IndexFunction.field(FORMAT, "start_ns"));
        return id;
    }

    /** Called by the JVM before the program, which matters more: whatever fails here must not keep it from starting. */
    public static void premain(String directory) {
        try {
            Recorder recorder = Recorder.on(Loom.open(Path.of(directory))).start();
            try {
                begin(recorder);
            } catch (Throwable e) {
                recorder.close();
                throw e;
            }
        } catch (RuntimeException | LinkageError | VirtualMachineError e) {
            System.err.println("jfr-agent records nothing: " + e);
        }
    }

    private static void begin(Recorder recorder) {
        JfrAgent agent = new JfrAgent(recorder);
        RecordingStream stream = new RecordingStream(); // fails where the folder for temporary files can't be written
        for (Kind kind : Kind.values()) {
            stream.enable(kind.event).withThreshold(Duration.ZERO).withoutStackTrace();
            stream.onEvent(kind.event, event -> agent.record(kind, event));
        }
        stream.enable(Kind.THREAD_PARKS.event).withThreshold(Duration.ofMillis(1));
        // not startAsync(): on JDK 17 its thread keeps the program from ending
        Thread events = new Thread(stream::start, "jfr-agent");
        events.setDaemon(true);
        events.start();
        // so that nothing has to be recovered; a kill would lose no more than is still in the recorder's ring
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            stream.close();
            recorder.close();
        }));
    }

    /** The stream calls it in one thread. */
    private void record(Kind kind, RecordedEvent event) {
        String thread = event.getThread() == null ? "" : String.valueOf(event.getThread().getJavaName());
        if (thread.startsWith("loom-") || thread.equals("jfr-agent")) {
            return; // what recording itself reads, writes, allocates and waits
        }
        var start = event.getStartTime();
        writer.begin(payload, 0);
        writer.setLong(0, start.getEpochSecond() * 1_000_000_000 + start.getNano());
        writer.setLong(1, event.getDuration().toNanos());
        writer.setLong(2, kind.bytes(event));
        writer.setUtf8(3, cut(thread));
        writer.setUtf8(4, cut(kind.subject(event)));
        recorder.offer(sources.get(kind), payload, 0, writer.finish());
    }

    private static String cut(String text) {
        return text.substring(0, Math.min(text.length(), TEXT_LENGTH_MAX));
    }
}
