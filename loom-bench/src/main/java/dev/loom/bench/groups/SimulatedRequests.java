package dev.loom.bench.groups;

import dev.loom.bench.query.SimulatedCapture;
import dev.loom.format.Formats;
import dev.loom.format.StructFormat;
import java.util.Arrays;
import java.util.List;

/**
 * The requests of a simulated service. Each is a function of its number and the seed, so that stores and tables generate the same
 * without sharing anything else. Immutable.
 *
 * <p>Keys have 1, 10, 1,000 and 10,000 values, as frequent as Zipf's law says: of ten services each has a hundred routes, and customers
 * call any of them. Latencies are log-normal around a median for each route; those of one service are three times as long. Slow requests
 * fail more often.
 */
public final class SimulatedRequests {
    /** The payload format of a store. */
    public static final StructFormat FORMAT =
            Formats.struct("customer:i32,latency_ns:i64,status:u16,region:utf8,service:utf8,route:utf8");

    /** The one region. */
    public static final String REGION = "eu-central-1";

    /** Customers count from here. */
    static final int CUSTOMER_FIRST = 10_000;

    private static final List<String> SERVICES = List.of(
            "catalog",
            "search",
            "cart",
            "checkout",
            "accounts",
            "payment",
            "shipping",
            "reviews",
            "coupons",
            "returns");
    private static final int SLOW_SERVICE = SERVICES.indexOf("checkout");
    private static final int ROUTES_OF_SERVICE = 100;
    private static final int CUSTOMERS = 10_000;
    private static final int CUSTOMER_STEP = 7_919; // a prime: the most frequent are not neighbours
    private static final long INTERVAL_NS = 100_000;
    private static final int SEED_SHIFT = 40;
    private static final int PERCENT = 100;
    private static final int PER_MILLE = 1_000;
    private static final long SLOW_NS = 1_000_000;
    private static final int DOUBLE_BITS = 53;

    // what is drawn for each request
    private static final int DRAWS = 4;
    private static final int SERVICE = 0;
    private static final int ROUTE = 1;
    private static final int CUSTOMER = 2;
    private static final int STATUS = 3;

    private final long records;
    private final long firstBits;
    private final SimulatedCapture capture;
    private final double[] services = zipf(SERVICES.size());
    private final double[] routes = zipf(ROUTES_OF_SERVICE);
    private final double[] customers = zipf(CUSTOMERS);
    private final String[] routeNames = new String[SERVICES.size() * ROUTES_OF_SERVICE];

    /** Creates the requests of a seed. */
    public SimulatedRequests(long records, int seed) {
        this.records = records;
        firstBits = (long) seed << SEED_SHIFT;
        capture = SimulatedCapture.ofCalls(records, INTERVAL_NS);
        Arrays.setAll(
                routeNames,
                i -> String.format("/v1/%s/%02d", SERVICES.get(i / ROUTES_OF_SERVICE), i % ROUTES_OF_SERVICE));
    }

    /** The parts of all draws that the most frequent value, the two most frequent ones, and so on have. */
    private static double[] zipf(int values) {
        final double[] parts = new double[values];
        double sum = 0;
        for (int i = 0; i < values; i++) {
            sum += 1.0 / (i + 1);
            parts[i] = sum;
        }
        for (int i = 0; i < values; i++) {
            parts[i] /= sum;
        }
        return parts;
    }

    public long records() {
        return records;
    }

    /** The time of the first request, epoch nanoseconds. */
    public long beginNs() {
        return capture.timeNs(0);
    }

    /** The time after the last request. */
    public long endNs() {
        return capture.endNs();
    }

    /** Arrival time of a request, epoch nanoseconds. */
    public long timeNs(long number) {
        return capture.timeNs(number);
    }

    public String service(long number) {
        return SERVICES.get(draw(number, SERVICE, services));
    }

    public String route(long number) {
        return routeNames[routeIndex(number)];
    }

    private int routeIndex(long number) {
        return draw(number, SERVICE, services) * ROUTES_OF_SERVICE + draw(number, ROUTE, routes);
    }

    public int customer(long number) {
        return customerOfRank(draw(number, CUSTOMER, customers));
    }

    private static int customerOfRank(int rank) {
        return CUSTOMER_FIRST + rank * CUSTOMER_STEP % CUSTOMERS;
    }

    /** A customer in the middle by frequency, with about one of 50,000 requests. */
    public static int rareCustomer() {
        return customerOfRank(CUSTOMERS / 2);
    }

    public long latencyNs(long number) {
        final int route = routeIndex(number);
        final long percent = PERCENT / 2 + (SimulatedCapture.mix(route + 1) >>> (Long.SIZE - 7)); // 50 to 177
        final long factor = route / ROUTES_OF_SERVICE == SLOW_SERVICE ? 3 : 1;
        return capture.latencyNs(firstBits + number) * factor * percent / PERCENT;
    }

    /** As HTTP has it. */
    public int status(long number) {
        final long part = Long.remainderUnsigned(bits(number, STATUS), PER_MILLE);
        if (part < (latencyNs(number) > SLOW_NS ? 100 : 2)) {
            return 503;
        }
        return part >= 980 ? 404 : 200;
    }

    private int draw(long number, int draw, double[] parts) {
        final double at = (bits(number, draw) >>> (Long.SIZE - DOUBLE_BITS)) * 0x1p-53;
        final int found = Arrays.binarySearch(parts, at);
        return found < 0 ? -found - 1 : found + 1;
    }

    private long bits(long number, int draw) {
        return SimulatedCapture.mix((firstBits + number) * DRAWS + draw);
    }
}
