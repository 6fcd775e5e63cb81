package dev.loom.bench.scaling;

import dev.loom.bench.peer.PeerKind;
import dev.loom.bench.peer.PeerLog;
import dev.loom.bench.push.PayloadPool;
import dev.loom.bench.push.PushSettings;
import dev.loom.bench.push.ScratchDirectory;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;

/** One store of another maker, with a writer for each thread. */
final class PeerTeam implements PushTeam {
    private final ScratchDirectory files;
    private final PayloadPool pool;
    private final PeerLog log;
    private final List<PeerLog.Writer> writers = new ArrayList<>();

    PeerTeam(PeerKind kind, PushSettings settings, PayloadPool pool, int threads) {
        this.pool = pool;
        files = ScratchDirectory.in(settings.directory());
        try {
            log = kind.open(files.path());
        } catch (final RuntimeException | Error e) {
            files.close();
            throw e;
        }
        for (int i = 0; i < threads; i++) {
            writers.add(log.newWriter());
        }
    }

    @Override
    public void push(int thread, int count) {
        final PeerLog.Writer writer = writers.get(thread);
        final DirectBuffer payloads = pool.buffer();
        final int length = pool.length();
        for (int i = 0; i < count; i++) {
            writer.append(System.nanoTime(), thread, payloads, pool.offset(i), length);
        }
    }

    @Override
    public void flush(int thread) {
        writers.get(thread).flush();
    }

    @Override
    public void drain() {
        log.finish();
    }

    @Override
    public void finish() {
        writers.forEach(PeerLog.Writer::close);
        log.finish();
    }

    @Override
    public void verify(long[] pushed) {
        final long[] seen = new long[writers.size()];
        log.read((writer, sequence, source, payload, offset, length) -> {
            if (source != writer || sequence != seen[writer] || !pool.matches(sequence, payload, offset, length)) {
                throw new IllegalStateException("record differs: writer=" + writer + ", expected=" + seen[writer]
                        + ", actual=" + sequence + ", source=" + source + ", length=" + length);
            }
            seen[writer]++;
        });
        Counts.check(pushed, seen);
    }

    @Override
    public void close() {
        log.close();
        files.close();
    }
}
