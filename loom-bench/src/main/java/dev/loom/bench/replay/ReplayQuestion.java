package dev.loom.bench.replay;

import java.util.ArrayList;
import java.util.List;

/**
 * A question about what was replayed, in a window of the records' own time.
 *
 * @param name in reports
 * @param call the system call that records must be about, or {@link SystemCalls#ANY}
 * @param fromNs epoch nanoseconds, included
 * @param toNs epoch nanoseconds, excluded
 */
public record ReplayQuestion(String name, Form form, ReplaySource source, int call, long fromNs, long toNs) {
    /** What is asked. */
    public enum Form {
        /** The records whose latency is above the 99.99th percentile; the value is that percentile. */
        ABOVE_TAIL,
        /** The last record with the largest latency; the value is that latency. */
        LARGEST,
        /** The largest latency alone. */
        MAX,
        /** The 99.99th percentile. */
        TAIL,
        /** How many records there are. */
        COUNT,
        /** All records. */
        DUMP,
        /** The records whose latency is at least that of planted events. */
        PLANTED,
        /** Packets neither from nor to the port that all are for. */
        MANGLED
    }

    /** The percentile of the tail is the value whose rank is this share of all, rounded up: 9,999 of 10,000. */
    public static final long TAIL_PARTS = 10_000;

    private static final String SEPARATOR = ":";

    /** After all records, and no more than any system's last time. */
    private static final long END_OF_TIME_NS = 4_000_000_000_000_000_000L;

    /** The rank of the tail's percentile among {@code count} values, from 1. */
    public static long tailRank(long count) {
        return count - count / TAIL_PARTS;
    }

    /** Latencies from here on are those of planted events, ns. */
    public static long plantedLatencyNs() {
        return PlantedEvents.LATENCY_MIN_NS;
    }

    /** What a phase asks in a round (Figure 10). */
    public static List<ReplayQuestion> of(ReplayPlan plan, int round) {
        final long toNs = plan.roundNs(round);
        final long fromNs = toNs - plan.windowNs();
        final List<ReplayQuestion> questions = new ArrayList<>();
        if (plan.workload() == ReplayWorkload.ROCKSDB) {
            final ReplaySource source = plan.workload().source(plan.phase());
            switch (plan.phase()) {
                case 1 -> {
                    questions.add(any("max request latency", Form.MAX, source, fromNs, toNs));
                    questions.add(any("p99.99 of requests", Form.TAIL, source, fromNs, toNs));
                }
                case 2 -> {
                    questions.add(new ReplayQuestion(
                            "max pread64 latency", Form.MAX, source, SystemCalls.PREAD64, fromNs, toNs));
                    questions.add(new ReplayQuestion(
                            "p99.99 of pread64", Form.TAIL, source, SystemCalls.PREAD64, fromNs, toNs));
                }
                default -> questions.add(any("count of page cache events", Form.COUNT, source, fromNs, toNs));
            }
            return questions;
        }
        if (plan.phase() < ReplayWorkload.PHASES) {
            questions.add(any("slow requests", Form.ABOVE_TAIL, ReplaySource.REDIS_REQUESTS, fromNs, toNs));
            if (plan.phase() > 1) {
                questions.add(new ReplayQuestion(
                        "slow sendto", Form.ABOVE_TAIL, ReplaySource.REDIS_CALLS, SystemCalls.SENDTO, fromNs, toNs));
            }
            return questions;
        }
        final long aroundNs = plan.packetsAroundNs();
        final long largestNs = largestNs(plan, fromNs, toNs - aroundNs);
        questions.add(any("largest request", Form.LARGEST, ReplaySource.REDIS_REQUESTS, fromNs, toNs - aroundNs));
        questions.add(any(
                "packets around it",
                Form.DUMP,
                ReplaySource.REDIS_PACKETS,
                largestNs - aroundNs,
                largestNs + aroundNs));
        return questions;
    }

    /** How many records of a source there are. */
    public static ReplayQuestion ofAll(ReplaySource source) {
        return any("count", Form.COUNT, source, 0, END_OF_TIME_NS);
    }

    /** What was planted, over the whole run. */
    public static List<ReplayQuestion> ofPlanted(ReplayPlan plan) {
        final long endNs = ReplayPlan.BEGIN_NS + plan.lengthNs();
        return List.of(
                any("slow requests", Form.PLANTED, ReplaySource.REDIS_REQUESTS, ReplayPlan.BEGIN_NS, endNs),
                any("mangled packets", Form.MANGLED, ReplaySource.REDIS_PACKETS, ReplayPlan.BEGIN_NS, endNs));
    }

    private static ReplayQuestion any(String name, Form form, ReplaySource source, long fromNs, long toNs) {
        return new ReplayQuestion(name, form, source, SystemCalls.ANY, fromNs, toNs);
    }

    /** The time of the largest request of a window, which is one of those planted; the window's end if it has none. */
    private static long largestNs(ReplayPlan plan, long fromNs, long toNs) {
        final RecordStream requests = new RecordStream(plan, ReplaySource.REDIS_REQUESTS);
        long atNs = toNs;
        long largest = 0;
        for (final long number : requests.planted()) {
            final long timeNs = requests.timeNs(number);
            if (timeNs >= fromNs && timeNs < toNs && requests.latencyNs(number) > largest) {
                largest = requests.latencyNs(number);
                atNs = timeNs;
            }
        }
        return atNs;
    }

    /** Parses {@link #text()}; the name is the form's. */
    static ReplayQuestion parse(String text) {
        final String[] parts = text.split(SEPARATOR, -1);
        final Form form = Form.valueOf(parts[0]);
        return new ReplayQuestion(
                form.name(),
                form,
                ReplaySource.valueOf(parts[1]),
                Integer.parseInt(parts[2]),
                Long.parseLong(parts[3]),
                Long.parseLong(parts[4]));
    }

    /** All but the name, as one word. */
    String text() {
        return String.join(
                SEPARATOR,
                form.name(),
                source.name(),
                Integer.toString(call),
                Long.toString(fromNs),
                Long.toString(toNs));
    }
}
