package dev.loom.bench.push;

import java.nio.ByteBuffer;
import org.agrona.BufferUtil;

/** Writes as many bytes as the records take, in long runs from memory that stays untouched: the disk alone. */
final class DiskLoop implements PushTarget {
    private static final int ALIGNMENT = 4096;

    private final PushSettings settings;
    private final TargetFiles files;
    private final SegmentFiles segments;
    private final ByteBuffer run;
    private long pushed;

    DiskLoop(PushSettings settings, TargetFiles files) {
        this.settings = settings;
        this.files = files;
        segments = new SegmentFiles(files.directory(), settings.segmentBytes(), settings.direct());
        final int length = Math.min(LimitRuns.LENGTH_MAX, settings.ringBytes());
        run = BufferUtil.allocateDirectAligned(length, ALIGNMENT);
        for (int i = 0; i < length; i++) {
            run.put(i, (byte) i);
        }
    }

    @Override
    public void push(int count) {
        pushed += count;
        final long due = pushed * settings.recordLength();
        while (segments.written() + run.capacity() <= due) {
            final int length = (int) Math.min(run.capacity(), segments.room());
            segments.write(run.limit(length).position(0));
        }
    }

    @Override
    public long pushed() {
        return pushed;
    }

    @Override
    public void finish() {
        segments.close();
    }

    @Override
    public void verify() {
        final long behind = pushed * settings.recordLength() - segments.written();
        if (behind < 0 || behind >= run.capacity()) {
            throw new IllegalStateException(
                    "disk loop wrote another number of bytes: written=" + segments.written() + ", behind=" + behind);
        }
    }

    @Override
    public void close() {
        segments.close();
        files.close();
    }
}
