package dev.loom.bench.replay;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import dev.loom.bench.peer.PeerKind;
import dev.loom.bench.peer.PeerLog;
import java.io.IOException;
import java.nio.file.Files;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Another maker's store of bytes for each source, in this process, by the records' own times: a question reads its window. */
final class PeerLogSink extends ScannedSink {
    private final PeerKind kind;
    private final Map<ReplaySource, SourceLog> logs = new EnumMap<>(ReplaySource.class);
    private volatile long visibleNs;

    PeerLogSink(PeerKind kind, SinkSettings settings) throws IOException {
        this.kind = kind;
        for (final ReplaySource source :
                settings.plan().workload().sources(settings.plan().phase())) {
            logs.put(
                    source,
                    new SourceLog(
                            kind.open(Files.createDirectory(settings.directory().resolve(source.text())))));
        }
    }

    /** A store, and its writer, which belongs to the thread that makes it. */
    private static final class SourceLog {
        private final PeerLog log;
        private PeerLog.@Nullable Writer writer;

        private SourceLog(PeerLog log) {
            this.log = log;
        }

        private void append(BatchSection section) {
            if (writer == null) {
                writer = log.newWriter();
            }
            int offset = section.offset();
            for (int i = 0; i < section.records(); i++) {
                writer.append(
                        section.buffer().getLong(offset + RecordKind.TIME_OFFSET, LITTLE_ENDIAN),
                        section.source().id(),
                        section.buffer(),
                        offset,
                        section.lengths()[i]);
                offset += section.lengths()[i];
            }
        }

        private void flush() {
            if (writer != null) {
                writer.flush();
            }
        }

        private void finish() {
            if (writer != null) {
                writer.close();
            }
        }
    }

    @Override
    public String description() {
        return kind.description() + "; a store for each source, by time; questions read their window";
    }

    @Override
    public void write(BatchSection section) {
        section.source().in(logs).append(section);
    }

    @Override
    public void endBatch(long endNs) {
        logs.values().forEach(SourceLog::flush);
        visibleNs = endNs;
    }

    @Override
    public void finish() {
        logs.values().forEach(SourceLog::finish);
    }

    @Override
    public long visibleNs() {
        return visibleNs;
    }

    @Override
    void forEach(ReplaySource source, long fromNs, long toNs, RecordHandler handler) {
        source.in(logs)
                .log
                .read(
                        fromNs,
                        toNs,
                        (writer, sequence, id, payload, offset, length) -> handler.onRecord(payload, offset, length));
    }

    @Override
    public void settle() {
        logs.values().forEach(each -> each.log.finish());
    }

    @Override
    public void close() {
        logs.values().forEach(each -> each.log.close());
    }
}
