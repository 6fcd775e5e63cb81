package dev.loom.cli.questions;

import static dev.loom.cli.questions.Shop.MS;
import static dev.loom.cli.questions.Shop.S;
import static dev.loom.cli.questions.Shop.US;

import dev.loom.cli.questions.Shop.Deploy;
import dev.loom.cli.questions.Shop.Instance;
import dev.loom.cli.questions.Shop.Log;
import dev.loom.cli.questions.Shop.Packet;
import dev.loom.cli.questions.Shop.Pause;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/** Makes what happens in the shop: its requests, eight to twelve a second, and what befalls its pods. */
final class Traffic {
    /** Tenants, their shares of the requests in percent, and their shards. */
    private enum Tenant {
        ACME(26, 3),
        GLOBEX(20, 1),
        INITECH(18, 2),
        UMBRELLA(14, 4),
        HOOLI(12, 2),
        STARK(10, 4);

        final int share;
        final int shard;

        Tenant(int share, int shard) {
            this.share = share;
            this.shard = shard;
        }

        String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Shop shop;
    final Random random = new Random(14_05);
    /** The bytes that each connection has sent. */
    private final Map<String, Long> sequences = new HashMap<>();

    Traffic(Shop shop) {
        this.shop = shop;
    }

    void run() {
        collectGarbage();
        deploy();
        long lengthUs = (Shop.END - Shop.BEGIN) / US;
        for (int i = 0; i < Shop.REQUESTS; i++) {
            // the load grows by half, from the first minute to the last
            double part = (i + random.nextDouble()) / Shop.REQUESTS;
            long after = (long) (part * (1.2 - 0.2 * part) * lengthUs);
            request(Shop.BEGIN + after * US);
        }
    }

    private void collectGarbage() {
        for (Instance frontend : Shop.FRONTENDS) {
            for (long at = Shop.BEGIN + micros(8 * S); at < Shop.END; at += 9 * S + micros(4 * S)) {
                long pause = 3 * MS + micros(6 * MS);
                shop.pauses.add(new Pause(at + pause, frontend.pod(), "young", pause));
            }
        }
        full(Shop.epoch("2026-11-20T13:58:20Z") + 112 * MS, 412 * MS);
        full(Shop.epoch("2026-11-20T14:09:10Z") + 480 * MS, 398 * MS);
    }

    private void full(long at, long pause) {
        shop.pauses.add(new Pause(at + pause, "frontend-1", "full", pause));
    }

    private void deploy() {
        for (long at : List.of(Shop.DEPLOYED, Shop.ROLLED_BACK)) {
            Instance payment = Shop.canary(at);
            shop.deploys.add(new Deploy(at, payment.service(), payment.pod(), payment.version()));
            String ledger =
                    payment.version().equals("2.0.0") ? "ledger.lock=row, lock_timeout=250ms" : "ledger.lock=none";
            shop.logs.add(new Log(
                    payment,
                    at + 800 * MS,
                    9,
                    "payment " + payment.version() + " started: " + ledger,
                    null,
                    0,
                    Map.of()));
        }
    }

    private void request(long at) {
        if (random.nextInt(100) < 15) {
            new Request(this, shop, at, "globex", 1, Shop.CRAWLER).products();
            return;
        }
        Tenant tenant = tenant();
        Request request = new Request(
                this, shop, at, tenant.id(), tenant.shard, tenant.id() + "-" + (1000 + random.nextInt(400)));
        int kind = random.nextInt(100);
        if (kind < 48) {
            request.products();
        } else if (kind < 70) {
            request.cart();
        } else if (kind < 84) {
            request.addToCart();
        } else {
            request.checkout();
        }
    }

    private Tenant tenant() {
        int share = random.nextInt(100);
        for (Tenant tenant : Tenant.values()) {
            share -= tenant.share;
            if (share < 0) {
                return tenant;
            }
        }
        throw new AssertionError(share);
    }

    /** The next packet of a connection to or from a database. */
    Packet packet(long at, Instance from, Instance to, int length) {
        int sport = from.pod() == null ? 5432 : port(from);
        int dport = to.pod() == null ? 5432 : port(to);
        String flow = from.host() + ':' + sport + ' ' + to.host() + ':' + dport;
        long seq = sequences.merge(flow, (long) length, Long::sum) - length;
        return new Packet(at, from.host(), to.host(), sport, dport, "PSH,ACK", seq, length);
    }

    /** Each pod has one connection to each shard. */
    private static int port(Instance pod) {
        return 41_000 + 10 * List.of("frontend", "cart", "checkout", "payment").indexOf(pod.service());
    }

    /** Any number of whole microseconds below a limit in nanoseconds. */
    long micros(long limit) {
        return random.nextInt((int) (limit / US)) * US;
    }

    /** How long something takes that usually takes so long: most often about that, seldom a few times as long. */
    long about(long usual) {
        double factor = 0.7 - 0.3 * StrictMath.log(1 - random.nextDouble());
        long ns = (long) (usual * factor);
        return ns / US * US;
    }
}
