package dev.loom.cli.demo;

import java.util.HashSet;
import java.util.Set;

/** Compares what the commands found with what the workload counted, and prints each comparison. */
final class Verdict {
    private final Narrator narrator;
    private boolean holds = true;

    Verdict(Narrator narrator) {
        this.narrator = narrator;
    }

    /** Compares the records of a source. */
    Verdict records(String source, long recorded, Story.Findings findings) {
        long found = findings.records().getOrDefault(source, 0L);
        return check(found == recorded, Narrator.text("%s: recorded %,d, in the store %,d", source, recorded, found));
    }

    Verdict slow(Set<Long> counted, Story.Findings findings) {
        return check(
                findings.slowIds().equals(counted),
                Narrator.text(
                        "slow requests: the client counted %d, the commands found %d",
                        counted.size(), findings.slowIds().size()));
    }

    Verdict damaged(Set<Long> counted, Story.Findings findings) {
        Set<Long> found = findings.damagedIds();
        check(
                found.equals(counted),
                Narrator.text(
                        "damaged packets: the filter counted %d, the commands found %d", counted.size(), found.size()));
        check(findings.slowIds().containsAll(found), "each damaged packet made its request slow");
        Set<Long> others = new HashSet<>(findings.slowIds());
        others.removeAll(found);
        if (!others.isEmpty()) {
            narrator.say(
                    "%d more were slow without a damaged packet: this machine stopped for a while.", others.size());
        }
        return this;
    }

    /** Whether everything compared so far matches. */
    boolean holds() {
        return holds;
    }

    private Verdict check(boolean fact, String text) {
        narrator.check(fact, text);
        holds &= fact;
        return this;
    }
}
