package dev.loom.bench.probe;

import dev.loom.bench.peer.PeerKind;
import dev.loom.bench.peer.PeerLog;
import java.nio.file.Path;
import org.agrona.DirectBuffer;

/** A store of another maker, by one writer. */
final class PeerFrames implements FrameStore {
    private final PeerLog log;
    private final PeerLog.Writer writer;

    PeerFrames(PeerKind kind, Path directory) {
        log = kind.open(directory);
        writer = log.newWriter();
    }

    @Override
    public void write(int source, DirectBuffer records, int offset, int count) {
        for (int i = 0; i < count; i++) {
            writer.append(
                    source,
                    records,
                    offset + i * ProbeRecordDescriptor.RECORD_LENGTH,
                    ProbeRecordDescriptor.RECORD_LENGTH);
        }
    }

    @Override
    public void finish() {
        writer.close();
        log.finish();
    }

    @Override
    public long count() {
        return log.count();
    }

    @Override
    public void close() {
        log.close();
    }
}
