package dev.loom.bench.replay;

import java.util.PriorityQueue;

/**
 * The true answers, from the records generated again: no sampling, nothing lost. Takes as much memory as the tail of a window. For one
 * thread.
 */
public final class Oracle {
    private Oracle() {}

    /** A condition on the records of a stream, by number. */
    @FunctionalInterface
    private interface Condition {
        boolean test(long number);
    }

    /** Calls for each number. */
    @FunctionalInterface
    private interface NumberHandler {
        void onNumber(long number);
    }

    /** Answers a question about a plan. */
    public static ReplayAnswer answer(ReplayPlan plan, ReplayQuestion question) {
        final RecordStream stream = new RecordStream(plan, question.source());
        final boolean any = question.call() == SystemCalls.ANY;
        final Condition ofCall = number -> any || stream.call(number) == question.call();
        final AnswerBuilder found = new AnswerBuilder();
        switch (question.form()) {
            case ABOVE_TAIL -> {
                final long tail = tail(stream, question, ofCall);
                forEach(stream, question, number -> ofCall.test(number) && stream.latencyNs(number) > tail, found::add);
                return found.answer(tail);
            }
            case TAIL -> {
                return ReplayAnswer.ofValue(tail(stream, question, ofCall));
            }
            case MAX -> {
                return ReplayAnswer.ofValue(largest(stream, question, ofCall)[1]);
            }
            case LARGEST -> {
                final long[] largest = largest(stream, question, ofCall);
                if (largest[0] >= 0) {
                    found.add(largest[0]);
                }
                return found.answer(largest[1]);
            }
            case COUNT -> {
                return ReplayAnswer.ofCount(count(stream, question, ofCall));
            }
            case DUMP -> {
                forEach(stream, question, ofCall, found::add);
                return found.counted();
            }
            case PLANTED ->
                forEach(
                        stream,
                        question,
                        number -> stream.latencyNs(number) >= ReplayQuestion.plantedLatencyNs(),
                        found::add);
            case MANGLED -> forEach(stream, question, stream::isMangled, found::add);
        }
        return found.answer(0);
    }

    private static void forEach(
            RecordStream stream, ReplayQuestion question, Condition condition, NumberHandler handler) {
        final long end = Math.min(stream.records(), stream.firstFrom(question.toNs()));
        for (long number = stream.firstFrom(question.fromNs()); number < end; number++) {
            if (condition.test(number)) {
                handler.onNumber(number);
            }
        }
    }

    private static long count(RecordStream stream, ReplayQuestion question, Condition condition) {
        final long[] count = {0};
        forEach(stream, question, condition, number -> count[0]++);
        return count[0];
    }

    /** Number and latency. */
    private static long[] largest(RecordStream stream, ReplayQuestion question, Condition condition) {
        final long[] largest = {-1, 0};
        forEach(stream, question, condition, number -> {
            final long latencyNs = stream.latencyNs(number);
            if (latencyNs >= largest[1]) {
                largest[0] = number;
                largest[1] = latencyNs;
            }
        });
        return largest;
    }

    /** The least of those latencies that are at the tail's rank or above it. */
    private static long tail(RecordStream stream, ReplayQuestion question, Condition condition) {
        final long count = count(stream, question, condition);
        if (count == 0) {
            return 0;
        }
        final long kept = count - ReplayQuestion.tailRank(count) + 1;
        final PriorityQueue<Long> largest = new PriorityQueue<>();
        forEach(stream, question, condition, number -> {
            final long latencyNs = stream.latencyNs(number);
            if (largest.size() < kept) {
                largest.add(latencyNs);
            } else if (largest.element() < latencyNs) {
                largest.remove();
                largest.add(latencyNs);
            }
        });
        return largest.element();
    }
}
