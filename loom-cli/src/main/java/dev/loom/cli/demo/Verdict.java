package dev.loom.cli.demo;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Compares what the commands found with what the workload counted, and prints each comparison. */
final class Verdict {
    private final Narrator narrator;
    private boolean holds = true;

    Verdict(Narrator narrator) {
        this.narrator = narrator;
    }

    /**
     * Returns whether everything matches.
     *
     * @param recorded records that the workload's threads handed over, by source
     */
    boolean compare(Findings findings, Ledger ledger, Map<DemoSource, Long> recorded) {
        recorded.forEach((source, count) -> {
            long found = findings.records().getOrDefault(source.sourceName(), 0L);
            check(found == count, source.sourceName() + ": recorded " + count + ", in the store " + found);
        });
        Set<Long> slowFound = ids(findings.slowRequests());
        check(
                slowFound.equals(ledger.slowIds()),
                "slow requests: counted by the clients " + ledger.slowIds().size() + ", found " + slowFound.size());
        Set<Long> mangledFound =
                findings.badPackets().stream().map(Findings::requestId).collect(Collectors.toSet());
        check(
                mangledFound.equals(ledger.mangledIds()),
                "bad packets: counted by the filter " + ledger.mangledIds().size() + ", found " + mangledFound.size());
        Set<Integer> stuckFound = findings.longWaits().stream()
                .filter(Findings::stuck)
                .map(wait -> Math.toIntExact(wait.integer("peer_port")))
                .collect(Collectors.toSet());
        check(
                stuckFound.equals(ledger.stuckPorts()),
                "connections waited for in vain: counted by the server "
                        + ledger.stuckPorts().size() + ", found " + stuckFound.size());
        compareChains(findings.chains(), ledger);
        noteOthers(slowFound, ledger);
        return holds;
    }

    private void compareChains(List<Findings.Chain> chains, Ledger ledger) {
        List<Findings.Chain> whole =
                chains.stream().filter(chain -> chain.waits().size() == 1).toList();
        long withoutWait = chains.stream()
                .filter(chain -> chain.waits().isEmpty())
                .filter(chain -> !ledger.stuckPorts()
                        .contains(Math.toIntExact(chain.packet().integer("src_port"))))
                .count();
        check(
                !whole.isEmpty()
                        && whole.size() + withoutWait == ledger.mangledIds().size(),
                "each bad packet goes with one slow request and one long recv");
        if (withoutWait > 0) {
            narrator.say(
                    "  (but for %d, where this machine kept the server from its recv until the client had given up)",
                    withoutWait);
        }
    }

    private void noteOthers(Set<Long> slowFound, Ledger ledger) {
        Set<Long> others = new HashSet<>(slowFound);
        others.removeAll(ledger.mangledIds());
        if (!others.isEmpty()) {
            narrator.say(
                    "  (%d slow besides, without a bad packet: this machine itself stopped for a while)",
                    others.size());
        }
    }

    private void check(boolean fact, String text) {
        narrator.check(fact, text);
        holds &= fact;
    }

    private static Set<Long> ids(List<CliRow> requests) {
        return requests.stream().map(row -> row.integer("id")).collect(Collectors.toSet());
    }
}
