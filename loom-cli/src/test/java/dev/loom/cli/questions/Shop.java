package dev.loom.cli.questions;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Twenty minutes of a small shop, the same in every run: what its services, databases, network and JVMs reported.
 *
 * <p>Requests go from the frontend to cart and checkout, from there to payment, and all of them to the database, whose shards belong to
 * tenants. At 14:05 payment 2.0.0 goes to one pod of two, as a canary. It waits for a lock on the ledger of the tenant acme, on shard 3,
 * gives up after 250 ms, and tries again, three times at most; so acme's checkouts through that pod are slow, and some fail. At 14:12 the
 * canary is rolled back. Besides, and with no part in it: a user who crawls the products, two long garbage collections of one frontend,
 * packets to shard 2 that are lost, and a few connections that are reset.
 */
final class Shop {
    static final long US = 1_000;
    static final long MS = 1_000 * US;
    static final long S = 1_000 * MS;
    static final long BEGIN = epoch("2026-11-20T13:55:00Z");
    static final long DEPLOYED = epoch("2026-11-20T14:05:00Z");
    static final long ROLLED_BACK = epoch("2026-11-20T14:12:00Z");
    static final long END = epoch("2026-11-20T14:15:00Z");
    static final int REQUESTS = 12_000;
    static final int ATTEMPTS_MAX = 3;
    static final String SLOW_TENANT = "acme";
    static final String CRAWLER = "globex-crawler";

    /** Where something runs. The database has hosts, and no pods. */
    record Instance(
            String service, String version, @Nullable String pod, String host) {}

    /** A span. Its error is what its status says. */
    record Span(
            String trace,
            long id,
            long parent,
            Instance by,
            String name,
            long start,
            long end,
            @Nullable String error,
            Map<String, Object> attributes) {}

    /** A log record; its severity is on OpenTelemetry's scale. */
    record Log(
            Instance by,
            long time,
            int severity,
            String body,
            @Nullable String trace,
            long span,
            Map<String, Object> attributes) {}

    /** A packet to or from a database, as a capture has it. */
    record Packet(long tsNs, String src, String dst, int sport, int dport, String flags, long seq, int payloadLen) {}

    /** A system call of a database, at its end. */
    record Syscall(long tsNs, String host, String name, long latencyNs, long ret) {}

    /** A garbage collection, at its end. */
    record Pause(long tsNs, String pod, String kind, long pauseNs) {}

    /** A version that starts on a pod. */
    record Deploy(long tsNs, String service, String pod, String version) {}

    final List<Span> spans = new ArrayList<>();
    final List<Log> logs = new ArrayList<>();
    final List<Packet> packets = new ArrayList<>();
    /** Those of the packets that are repeats, since the first one was lost. */
    final List<Packet> sentAgain = new ArrayList<>();

    final List<Syscall> syscalls = new ArrayList<>();
    final List<Pause> pauses = new ArrayList<>();
    final List<Deploy> deploys = new ArrayList<>();

    static final List<Instance> FRONTENDS = List.of(
            new Instance("frontend", "3.4.1", "frontend-1", "node-1"),
            new Instance("frontend", "3.4.1", "frontend-2", "node-2"));
    static final Instance CART = new Instance("cart", "1.2.0", "cart-1", "node-1");
    static final Instance CHECKOUT = new Instance("checkout", "5.0.3", "checkout-1", "node-2");
    static final Instance STABLE = new Instance("payment", "1.8.2", "payment-1", "node-3");

    Shop() {
        new Traffic(this).run();
    }

    /** The second pod of payment, the canary's. */
    static Instance canary(long time) {
        boolean upgraded = time >= DEPLOYED && time < ROLLED_BACK;
        return new Instance("payment", upgraded ? "2.0.0" : "1.8.2", "payment-2", "node-4");
    }

    static Instance database(int shard) {
        return new Instance("db", "16.4", null, "db-" + shard);
    }

    static long epoch(String time) {
        return Instant.parse(time).getEpochSecond() * S;
    }

    /** Attributes in this order: key, value, key, value. */
    static Map<String, Object> attributes(Object... pairs) {
        Map<String, Object> attributes = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            attributes.put((String) pairs[i], pairs[i + 1]);
        }
        return attributes;
    }
}
