package dev.loom.bench.replay;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.util.Arrays;
import java.util.PriorityQueue;
import org.agrona.DirectBuffer;

/** A sink that keeps bytes: all questions are answered by reading the records of a source, and by a program that knows their layout. */
abstract class ScannedSink implements Sink {
    private static final int FIRST_CAPACITY = 1 << 16;

    /** Takes a record. */
    @FunctionalInterface
    interface RecordHandler {
        void onRecord(DirectBuffer buffer, int offset, int length);
    }

    /** Reads the records of a source, at least those of a time range, in the order of time. */
    abstract void forEach(ReplaySource source, long fromNs, long toNs, RecordHandler handler) throws Exception;

    @Override
    public final ReplayAnswer ask(ReplayQuestion question) throws Exception {
        final AnswerBuilder found = new AnswerBuilder();
        switch (question.form()) {
            case ABOVE_TAIL -> {
                final LongList latencies = new LongList();
                final LongList numbers = new LongList();
                select(question, (buffer, offset, length) -> {
                    latencies.add(latencyNs(buffer, offset));
                    numbers.add(number(buffer, offset));
                });
                final long tail = tail(latencies);
                for (int i = 0; i < latencies.count; i++) {
                    if (latencies.values[i] > tail) {
                        found.add(numbers.values[i]);
                    }
                }
                return found.answer(tail);
            }
            case TAIL -> {
                final LongList latencies = new LongList();
                select(question, (buffer, offset, length) -> latencies.add(latencyNs(buffer, offset)));
                return ReplayAnswer.ofValue(tail(latencies));
            }
            case MAX -> {
                return ReplayAnswer.ofValue(largest(question)[1]);
            }
            case LARGEST -> {
                final long[] largest = largest(question);
                if (largest[0] >= 0) {
                    found.add(largest[0]);
                }
                return found.answer(largest[1]);
            }
            case COUNT -> {
                final long[] count = {0};
                select(question, (buffer, offset, length) -> count[0]++);
                return ReplayAnswer.ofCount(count[0]);
            }
            case DUMP -> {
                final long[] read = {0};
                select(question, (buffer, offset, length) -> {
                    found.add(number(buffer, offset));
                    read[0] += RecordKind.packetSum(buffer, offset);
                });
                return found.counted(read[0]);
            }
            case PLANTED ->
                select(question, (buffer, offset, length) -> {
                    if (latencyNs(buffer, offset) >= ReplayQuestion.plantedLatencyNs()) {
                        found.add(number(buffer, offset));
                    }
                });
            case MANGLED ->
                select(question, (buffer, offset, length) -> {
                    if (port(buffer, offset + RecordKind.SPORT_OFFSET) != RecordStream.REDIS_PORT
                            && port(buffer, offset + RecordKind.DPORT_OFFSET) != RecordStream.REDIS_PORT) {
                        found.add(number(buffer, offset));
                    }
                });
        }
        return found.answer(0);
    }

    private static int port(DirectBuffer buffer, int offset) {
        return buffer.getShort(offset, LITTLE_ENDIAN) & 0xFFFF;
    }

    private static long number(DirectBuffer buffer, int offset) {
        return buffer.getLong(offset + RecordKind.NUMBER_OFFSET, LITTLE_ENDIAN);
    }

    private static long latencyNs(DirectBuffer buffer, int offset) {
        return buffer.getLong(offset + RecordKind.LATENCY_OFFSET, LITTLE_ENDIAN);
    }

    /** The records that a question is about. */
    private void select(ReplayQuestion question, RecordHandler handler) throws Exception {
        final boolean any = question.call() == SystemCalls.ANY;
        forEach(question.source(), question.fromNs(), question.toNs(), (buffer, offset, length) -> {
            final long timeNs = buffer.getLong(offset + RecordKind.TIME_OFFSET, LITTLE_ENDIAN);
            if (timeNs >= question.fromNs()
                    && timeNs < question.toNs()
                    && (any || buffer.getInt(offset + RecordKind.CALL_OFFSET, LITTLE_ENDIAN) == question.call())) {
                handler.onRecord(buffer, offset, length);
            }
        });
    }

    /** Number and latency. */
    private long[] largest(ReplayQuestion question) throws Exception {
        final long[] largest = {-1, 0};
        select(question, (buffer, offset, length) -> {
            if (latencyNs(buffer, offset) >= largest[1]) {
                largest[0] = number(buffer, offset);
                largest[1] = latencyNs(buffer, offset);
            }
        });
        return largest;
    }

    /** The least of those latencies that are at the tail's rank or above it; these alone are ordered. */
    private static long tail(LongList latencies) {
        if (latencies.count == 0) {
            return 0;
        }
        final long kept = latencies.count - ReplayQuestion.tailRank(latencies.count) + 1;
        final PriorityQueue<Long> largest = new PriorityQueue<>();
        long least = Long.MIN_VALUE;
        for (int i = 0; i < latencies.count; i++) {
            final long latencyNs = latencies.values[i];
            if (largest.size() < kept) {
                largest.add(latencyNs);
                least = largest.element();
            } else if (latencyNs > least) {
                largest.remove();
                largest.add(latencyNs);
                least = largest.element();
            }
        }
        return least;
    }

    /** Grows. */
    private static final class LongList {
        private long[] values = new long[FIRST_CAPACITY];
        private int count;

        private void add(long value) {
            if (count == values.length) {
                values = Arrays.copyOf(values, 2 * count);
            }
            values[count++] = value;
        }
    }
}
