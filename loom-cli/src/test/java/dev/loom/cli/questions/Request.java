package dev.loom.cli.questions;

import static dev.loom.cli.questions.Shop.MS;
import static dev.loom.cli.questions.Shop.US;
import static dev.loom.cli.questions.Shop.attributes;

import dev.loom.cli.questions.Shop.Instance;
import dev.loom.cli.questions.Shop.Log;
import dev.loom.cli.questions.Shop.Packet;
import dev.loom.cli.questions.Shop.Pause;
import dev.loom.cli.questions.Shop.Span;
import dev.loom.cli.questions.Shop.Syscall;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** One request on its way through the services. Its time advances with what they do, one after the other. */
final class Request {
    private static final int INFO = 9;
    private static final int WARN = 13;
    private static final int ERROR = 17;
    private static final long WIRE = 150 * US;

    private final Traffic traffic;
    private final Shop shop;
    private final String tenant;
    private final int shard;
    private final String user;
    private final String trace;
    private long now;
    /** What the span that ends next failed with. */
    private @Nullable String failure;

    Request(Traffic traffic, Shop shop, long at, String tenant, int shard, String user) {
        this.traffic = traffic;
        this.shop = shop;
        this.now = at;
        this.tenant = tenant;
        this.shard = shard;
        this.user = user;
        trace = String.format("%016x%016x", traffic.random.nextLong(), traffic.random.nextLong());
    }

    void products() {
        int status = traffic.random.nextInt(100) == 0 ? 404 : 200;
        int bytes = status == 404 ? 90 : 4_000 + traffic.random.nextInt(12_000);
        frontend("GET", "/products", status, (by, id) -> query(by, id, "SELECT products", 6 * MS, bytes, 1));
    }

    void cart() {
        frontend("GET", "/cart", 200, (by, id) -> call(Shop.CART, id, "load cart", 2 * MS, tenancy(), this::loadCart));
    }

    void addToCart() {
        frontend(
                "POST",
                "/cart",
                200,
                (by, id) -> call(
                        Shop.CART,
                        id,
                        "add item",
                        3 * MS,
                        tenancy(),
                        cart -> query(Shop.CART, cart, "UPDATE cart_items", 5 * MS, 60, 1)));
    }

    private void loadCart(long cart) {
        if (traffic.random.nextInt(250) == 0) {
            failure = "connection reset by db-" + shard;
            log(Shop.CART, ERROR, failure, cart);
            return;
        }
        query(Shop.CART, cart, "SELECT cart_items", 4 * MS, 300 + traffic.random.nextInt(900), 1);
    }

    void checkout() {
        int items = 1 + traffic.random.nextInt(12);
        frontend("POST", "/checkout", 200, (by, id) -> {
            Map<String, Object> order = tenancy();
            order.put("items", items);
            call(Shop.CHECKOUT, id, "place order", 4 * MS, order, checkout -> placeOrder(checkout, items));
        });
    }

    private void placeOrder(long checkout, int items) {
        call(Shop.CART, checkout, "load cart", 2 * MS, tenancy(), this::loadCart);
        if (failure == null) {
            Instance payment = traffic.random.nextBoolean() ? Shop.STABLE : Shop.canary(now);
            Map<String, Object> attributes = tenancy();
            call(payment, checkout, "charge", 20 * MS, attributes, id -> charge(payment, id, attributes));
        }
        if (failure == null) {
            query(Shop.CHECKOUT, checkout, "INSERT orders", 6 * MS, 60, 1);
            log(Shop.CHECKOUT, INFO, "order placed, items: " + items, checkout);
        } else {
            log(Shop.CHECKOUT, ERROR, "order not placed: " + failure, checkout);
        }
    }

    private void charge(Instance payment, long id, Map<String, Object> attributes) {
        boolean locking = payment.version().equals("2.0.0") && tenant.equals(Shop.SLOW_TENANT);
        for (int attempt = 1; attempt <= Shop.ATTEMPTS_MAX; attempt++) {
            attributes.put("attempts", attempt);
            failure = null;
            if (!locking || traffic.random.nextInt(10) >= 7) {
                query(payment, id, "UPDATE ledger", 5 * MS, 60, attempt);
                log(payment, INFO, "charged, attempts: " + attempt, id);
                return;
            }
            waitForLock(payment, id, attempt);
            if (attempt < Shop.ATTEMPTS_MAX) {
                log(payment, WARN, "attempt " + attempt + " failed: " + failure + ", trying again", id);
                now += 50 * MS * attempt;
            }
        }
        failure = "gave up after " + Shop.ATTEMPTS_MAX + " attempts: " + failure;
        log(payment, ERROR, failure, id);
    }

    private void waitForLock(Instance payment, long id, int attempt) {
        Instance db = Shop.database(shard);
        send(payment, db, 180);
        call(db, id, "UPDATE ledger", 0, statement(payment, attempt), span -> {
            long waited = 250 * MS + traffic.micros(3 * MS);
            now += waited;
            shop.syscalls.add(new Syscall(now, db.host(), "futex", waited, -110));
            failure = "lock timeout on ledger of " + tenant;
            log(db, ERROR, "canceling statement due to lock timeout: relation \"ledger\", tenant " + tenant, span);
        });
        reply(db, payment, 120);
    }

    private interface Handling {
        void by(Instance frontend, long span);
    }

    private void frontend(String method, String route, int expected, Handling handling) {
        Instance by = Shop.FRONTENDS.get(traffic.random.nextInt(2));
        long start = now;
        Map<String, Object> attributes = tenancy();
        attributes.put("user.id", user);
        attributes.put("http.request.method", method);
        attributes.put("http.route", route);
        call(by, 0, method + " " + route, 3 * MS, attributes, id -> {
            handling.by(by, id);
            int status = failure == null ? expected : failure.startsWith("gave up") ? 503 : 500;
            attributes.put("http.response.status_code", status);
            long took = (now - start) / MS;
            log(by, failure == null ? INFO : ERROR, method + " " + route + " " + status + " " + took + " ms", id);
        });
    }

    /** A call of a service, which works half of its own time before it calls others, and half of it afterwards. */
    private void call(
            Instance by, long parent, String name, long own, Map<String, Object> attributes, LongConsumer body) {
        now += parent == 0 ? 0 : WIRE;
        long id = traffic.random.nextLong() | 1;
        long start = now;
        work(by, traffic.about(own) / 2);
        body.accept(id);
        work(by, traffic.about(own) / 2);
        shop.spans.add(new Span(trace, id, parent, by, name, start, now, failure, attributes));
        now += parent == 0 ? 0 : WIRE;
    }

    /** Work takes longer where a collection stops the pod meanwhile. */
    private void work(Instance by, long cost) {
        long begin = now;
        now += cost / US * US;
        for (Pause pause : shop.pauses) {
            long paused = pause.tsNs() - pause.pauseNs();
            if (pause.pod().equals(by.pod()) && paused < now && pause.tsNs() > begin) {
                now += pause.tsNs() - Math.max(begin, paused);
            }
        }
    }

    private void query(Instance by, long parent, String statement, long own, int replied, int attempt) {
        Instance db = Shop.database(shard);
        send(by, db, 120 + traffic.random.nextInt(100));
        call(db, parent, statement, own, statement(by, attempt), id -> {
            if (!statement.startsWith("SELECT")) {
                long synced = traffic.about(1 * MS);
                now += synced;
                shop.syscalls.add(new Syscall(now, db.host(), "fdatasync", synced, 0));
            }
        });
        reply(db, by, replied);
    }

    private Map<String, Object> statement(Instance by, int attempt) {
        Map<String, Object> attributes = tenancy();
        attributes.put("db.shard", shard);
        attributes.put("client.pod", by.pod());
        attributes.put("attempt", attempt);
        return attributes;
    }

    private void send(Instance by, Instance db, int length) {
        Packet sent = traffic.packet(now, by, db, length);
        shop.packets.add(sent);
        boolean lossy = by.service().equals("cart") && shard == 2;
        if (lossy && traffic.random.nextInt(60) == 0) {
            now += 200 * MS;
            Packet again = new Packet(
                    now, sent.src(), sent.dst(), sent.sport(), sent.dport(), sent.flags(), sent.seq(), length);
            shop.packets.add(again);
            shop.sentAgain.add(again);
        }
    }

    private void reply(Instance db, Instance to, int length) {
        shop.packets.add(traffic.packet(now, db, to, length));
    }

    private Map<String, Object> tenancy() {
        return attributes("tenant", tenant);
    }

    private void log(Instance by, int severity, String body, long span) {
        shop.logs.add(new Log(by, now, severity, body, trace, span, tenancy()));
    }
}
