package dev.loom.bench.lsm;

import dev.loom.bench.push.CpuTime;
import java.util.function.LongSupplier;

/**
 * Where the time of lookups goes, in nanoseconds a lookup. A clock can't be read between the parts: a reading takes as long as a
 * digest. So the same keys go through four loops, and the clock is read at their ends alone. The first is the lookup; this is the
 * total. The second computes the digests of the files that the lookups visit. The third asks their filters as well; what it
 * takes beyond the second is probing. The fourth reads the blocks that the lookups read. What is left of the total is other: the
 * search among fence pointers and in the block, and what the parts take more or less of when they run apart.
 *
 * @param total by the medium's clock, as {@code reading}; the others are CPU time
 * @param cpu the total's CPU time
 * @param reads blocks read, a lookup
 * @param visited files visited, a lookup: each takes a digest unless it is shared
 */
public record TimeSplit(
        double total, double cpu, double hashing, double probing, double reading, double reads, double visited) {
    /** What is left of the total. */
    public double other() {
        return total - hashing - probing - reading;
    }

    /** What a read takes; 0 if there are none. */
    public double readNs() {
        return reads == 0 ? 0 : reading / reads;
    }

    /**
     * Looks up all keys, and runs the three other loops.
     *
     * @param clock of the total: the wall's where reads wait, otherwise the thread's CPU time
     * @throws IllegalStateException if a key is not found where it is, or is found elsewhere
     */
    static TimeSplit measure(Lookup lookup, LookupKeys keys, LookupTrace trace, LongSupplier clock) {
        final double count = keys.count();
        long startNs = clock.getAsLong();
        long cpuNs = CpuTime.threadNs();
        findAll(lookup, keys);
        final double cpu = (CpuTime.threadNs() - cpuNs) / count;
        final double total = (clock.getAsLong() - startNs) / count;

        cpuNs = CpuTime.threadNs();
        long sum = 0;
        for (int i = 0; i < keys.count(); i++) {
            sum += lookup.hash(keys.key(i), trace.files(i));
        }
        final double hashing = (CpuTime.threadNs() - cpuNs) / count;

        cpuNs = CpuTime.threadNs();
        long passed = 0;
        for (int i = 0; i < keys.count(); i++) {
            passed += lookup.probe(keys.key(i), trace.files(i));
        }
        final double probing = (CpuTime.threadNs() - cpuNs) / count - hashing;

        startNs = clock.getAsLong();
        lookup.readAll(trace.reads());
        final double reading = (clock.getAsLong() - startNs) / count;
        if (sum == 0 || passed != trace.reads().size()) {
            throw new IllegalStateException("loops did not do the same: passed=" + passed + ", reads="
                    + trace.reads().size() + ", sum=" + sum);
        }
        return new TimeSplit(total, cpu, hashing, probing, reading, passed / count, trace.visited());
    }

    private static void findAll(Lookup lookup, LookupKeys keys) {
        for (int i = 0; i < keys.count(); i++) {
            final int level = lookup.find(keys.key(i));
            if (level != keys.level(i)) {
                throw new IllegalStateException(
                        "key is not found where it is: expected=" + keys.level(i) + ", actual=" + level);
            }
        }
    }
}
