package dev.loom.bench.replay;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/** Makes a plan's batches, one after the other. For one thread. */
final class BatchGenerator {
    private final ReplayPlan plan;
    private final List<RecordStream> streams;
    private final long sliceNs;
    private final int capacity;
    private long number;

    /** @param sliceNs the time of which a batch has the records */
    BatchGenerator(ReplayPlan plan, long sliceNs) {
        this.plan = plan;
        this.sliceNs = sliceNs;
        streams = plan.workload().sources(plan.phase()).stream()
                .map(source -> new RecordStream(plan, source))
                .toList();
        int length = BatchDescriptor.HEADER_LENGTH;
        for (final RecordStream stream : streams) {
            length += BatchDescriptor.sectionLengthMax(
                    perSlice(stream), stream.source().kind());
        }
        capacity = length;
    }

    private int perSlice(RecordStream stream) {
        return (int) stream.firstFrom(ReplayPlan.BEGIN_NS + sliceNs) + 1;
    }

    /** How many batches the run has. */
    long batches() {
        return -Math.floorDiv(-plan.lengthNs(), sliceNs);
    }

    /** A batch with room for any slice. */
    ReplayBatch newBatch() {
        return new ReplayBatch(capacity);
    }

    /** When the records of a batch are all there, ns since the begin. */
    long dueNs(long batch) {
        return Math.min(plan.lengthNs(), (batch + 1) * sliceNs);
    }

    /** Fills in the next batch. */
    void fill(ReplayBatch batch) {
        final long fromNs = ReplayPlan.BEGIN_NS + number * sliceNs;
        final long endNs = ReplayPlan.BEGIN_NS + dueNs(number);
        int offset = BatchDescriptor.HEADER_LENGTH;
        for (final RecordStream stream : streams) {
            offset = section(stream, fromNs, endNs, batch, offset);
        }
        BatchDescriptor.putHeader(batch.buffer(), offset, streams.size(), endNs, number);
        number++;
    }

    /** What ends a run. */
    ReplayBatch end() {
        final ReplayBatch batch = new ReplayBatch(BatchDescriptor.HEADER_LENGTH);
        BatchDescriptor.putHeader(
                batch.buffer(),
                BatchDescriptor.HEADER_LENGTH,
                0,
                ReplayPlan.BEGIN_NS + plan.lengthNs(),
                BatchDescriptor.END);
        return batch;
    }

    /** Returns where the next section begins. The lengths take the room of all records of the slice, then of those offered. */
    private int section(RecordStream stream, long fromNs, long endNs, ReplayBatch batch, int offset) {
        final UnsafeBuffer buffer = batch.buffer();
        final long first = stream.firstFrom(fromNs);
        final long end = Math.min(stream.records(), stream.firstFrom(endNs));
        int records = 0;
        for (long record = first; record < end; record++) {
            records += stream.isOffered(record) ? 1 : 0;
        }
        final int payloads = offset + BatchDescriptor.payloadsOffset(records);
        int at = payloads;
        int lengthAt = offset + BatchDescriptor.SECTION_HEADER_LENGTH;
        for (long record = first; record < end; record++) {
            if (stream.isOffered(record)) {
                final int length = stream.write(record, buffer, at);
                buffer.putShort(lengthAt, (short) length, LITTLE_ENDIAN);
                lengthAt += Short.BYTES;
                at += length;
            }
        }
        buffer.putInt(offset + BatchDescriptor.SOURCE_OFFSET, stream.source().id(), LITTLE_ENDIAN);
        buffer.putInt(offset + BatchDescriptor.RECORDS_OFFSET, records, LITTLE_ENDIAN);
        buffer.putInt(offset + BatchDescriptor.BYTES_OFFSET, at - payloads, LITTLE_ENDIAN);
        batch.records(stream.source(), records);
        return BatchDescriptor.sectionEnd(at);
    }
}
