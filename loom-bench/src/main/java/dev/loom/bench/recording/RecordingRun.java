package dev.loom.bench.recording;

import dev.loom.bench.push.CpuTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * The cost of recording some events, which were read back and checked.
 *
 * @param records records of all producers
 * @param callNs mean time of a call, as its thread sees it
 * @param callNsMax mean time of a call in the slowest burst
 * @param cpuNs CPU time of the whole process per record, until everything is in the files
 * @param allocatedBytes bytes allocated by the producers' threads, per record
 * @param elapsedNs from the first call until everything is in the files
 * @param missing events that were recorded but are not in the files
 */
public record RecordingRun(
        long records,
        double callNs,
        double callNsMax,
        double cpuNs,
        double allocatedBytes,
        long elapsedNs,
        long missing) {
    private static final int BURST = 100;

    /**
     * Records from several threads, each with its share of the rate, in bursts of 100 calls, or without a pause.
     *
     * @param recordsEach a multiple of 100
     * @param rate records/s of all producers; 0 for as many as possible
     */
    public static RecordingRun of(RecordingTarget target, int producers, long recordsEach, double rate) {
        final double burstNs = rate == 0 ? 0 : BURST * producers * 1e9 / rate;
        final List<ProducerThread> threads = new ArrayList<>();
        final CountDownLatch begin = new CountDownLatch(1);
        for (int i = 0; i < producers; i++) {
            final ProducerThread thread = new ProducerThread(target.producer(i), recordsEach, burstNs, begin);
            thread.start();
            threads.add(thread);
        }
        final long cpuNs = CpuTime.processNs();
        final long startNs = System.nanoTime();
        begin.countDown();
        threads.forEach(ProducerThread::await);
        target.finish();
        final long elapsedNs = System.nanoTime() - startNs;
        final double records = (double) recordsEach * producers;
        final double cpu = (CpuTime.processNs() - cpuNs) / records;
        final long missing = (long) records - target.verify(producers);
        return new RecordingRun(
                (long) records,
                threads.stream().mapToLong(thread -> thread.calledNs).sum() / records,
                threads.stream().mapToLong(thread -> thread.burstNsMax).max().orElse(0) / (double) BURST,
                cpu,
                threads.stream().mapToLong(thread -> thread.allocated).sum() / records,
                elapsedNs,
                missing);
    }

    public double recordsPerSecond() {
        return records * 1e9 / elapsedNs;
    }

    private static final class ProducerThread extends Thread {
        private final RecordingTarget.Producer producer;
        private final long records;
        private final double everyNs;
        private final CountDownLatch begin;
        private long calledNs;
        private long burstNsMax;
        private long allocated;

        ProducerThread(RecordingTarget.Producer producer, long records, double everyNs, CountDownLatch begin) {
            this.producer = producer;
            this.records = records;
            this.everyNs = everyNs;
            this.begin = begin;
        }

        @Override
        public void run() {
            awaitBegin();
            final long start = System.nanoTime();
            final long allocatedBefore = CpuTime.threadAllocatedBytes();
            for (long sequence = 0; sequence < records; sequence += BURST) {
                final long before = System.nanoTime();
                for (int i = 0; i < BURST; i++) {
                    producer.record(sequence + i);
                }
                final long after = System.nanoTime();
                calledNs += after - before;
                burstNsMax = Math.max(burstNsMax, after - before);
                final long dueNs = start + (long) (everyNs * (sequence / BURST + 1));
                if (dueNs > after) {
                    LockSupport.parkNanos(dueNs - after);
                }
            }
            allocated = CpuTime.threadAllocatedBytes() - allocatedBefore;
        }

        private void awaitBegin() {
            try {
                begin.await();
            } catch (final InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        void await() {
            try {
                join();
            } catch (final InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
