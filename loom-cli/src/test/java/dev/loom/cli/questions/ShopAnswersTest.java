package dev.loom.cli.questions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.questions.Shop.Log;
import dev.loom.cli.questions.Shop.Packet;
import dev.loom.cli.questions.Shop.Span;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Compares answers of {@code docs/questions.md} with what happened in the {@linkplain Shop shop}, by arithmetic of its own. */
class ShopAnswersTest {
    private static final Shop SHOP = new Shop();
    private static final String GUIDE = read();
    /** A count behind its share. */
    private static final Pattern COUNT = Pattern.compile("% +(\\d+)");

    private static String read() {
        try {
            return Files.readString(Path.of("../docs/questions.md"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What the question's command prints. */
    private static List<String> answer(String question) {
        String asked = "\n### " + question + "\n";
        int begin = GUIDE.indexOf(asked);
        assertTrue(begin >= 0, question);
        return GUIDE.substring(begin).split("```", 3)[1].lines().skip(2).toList();
    }

    /** The cells of a table, from the second line on; two spaces are between them. */
    private static List<List<String>> rows(String question) {
        return answer(question).stream()
                .skip(1)
                .map(line -> List.of(line.strip().split(" {2,}")))
                .toList();
    }

    /** The cells of the row that begins with this one. */
    private static List<String> row(String question, String first) {
        return rows(question).stream()
                .filter(cells -> cells.get(0).equals(first))
                .findFirst()
                .orElseThrow(() -> new AssertionError(first + " is not in " + answer(question)));
    }

    /** A duration such as {@code 936.859ms} in nanoseconds. */
    private static long nanos(String text) {
        String unit = text.replaceAll("[0-9.]", "");
        int digits = Objects.requireNonNull(Map.of("us", 3, "ms", 6, "s", 9).get(unit), text);
        return new BigDecimal(text.substring(0, text.length() - unit.length()))
                .movePointRight(digits)
                .longValueExact();
    }

    private static Stream<Span> spans(Predicate<Span> which) {
        return SHOP.spans.stream().filter(which);
    }

    private static Stream<Span> requests() {
        return spans(span -> span.parent() == 0);
    }

    private static long duration(Span span) {
        return span.end() - span.start();
    }

    /** The nearest rank. */
    private static long percentile(int hundredths, Stream<Span> spans) {
        long[] sorted = spans.mapToLong(ShopAnswersTest::duration).sorted().toArray();
        return sorted[(int) Math.ceil(hundredths * sorted.length / 100.0) - 1];
    }

    private static boolean has(Span span, String key, Object value) {
        return value.equals(span.attributes().get(key));
    }

    private static String time(long ns) {
        return Instant.ofEpochSecond(ns / Shop.S, ns % Shop.S).toString().replaceAll(".*T|Z", "");
    }

    @Test
    void shouldFindTheSlowRoutes() {
        for (String name : List.of("POST /checkout", "POST /cart", "GET /products", "GET /cart")) {
            List<String> cells = row("Which routes are slow?", name);
            List<Span> of = requests().filter(span -> span.name().equals(name)).toList();
            assertEquals(of.size(), Integer.parseInt(cells.get(1)), name);
            assertEquals(percentile(50, of.stream()), nanos(cells.get(3)), name);
            assertEquals(percentile(99, of.stream()), nanos(cells.get(4)), name);
        }
        long slow = requests().filter(span -> duration(span) > 250 * Shop.MS).count();
        assertEquals(
                slow,
                rows("How many requests took more than 250 ms?").stream()
                        .mapToLong(cells -> Long.parseLong(cells.get(1)))
                        .sum());
    }

    @Test
    void shouldNameThePlantedCause() {
        List<String> found = answer("What differs about the slow charges?");
        List<Span> charges = spans(span -> span.name().equals("charge")).toList();
        long limit = percentile(95, charges.stream());
        Predicate<Span> slow = span -> duration(span) > limit;
        Predicate<Span> planted = span -> span.by().version().equals("2.0.0") && has(span, "tenant", Shop.SLOW_TENANT);
        assertTrue(found.get(0).contains("duration above " + limit + ","), found.get(0));
        assertTrue(found.get(2).startsWith("resource.service.version = 2.0.0 and attr.tenant = acme "), found.get(2));
        assertEquals(
                List.of(
                        charges.stream().filter(slow.and(planted)).count(),
                        charges.stream().filter(slow.negate().and(planted)).count()),
                COUNT.matcher(found.get(3))
                        .results()
                        .map(count -> Long.valueOf(count.group(1)))
                        .toList());
    }

    @Test
    void shouldCountTheErrorsThatWereMade() {
        Map<String, Long> statuses = requests()
                .collect(Collectors.groupingBy(
                        span -> String.valueOf(span.attributes().get("http.response.status_code")),
                        Collectors.counting()));
        assertEquals(
                statuses,
                rows("What share of requests fails?").stream()
                        .collect(Collectors.toMap(cells -> cells.get(0), cells -> Long.valueOf(cells.get(1)))));
        List<Span> gaveUp = spans(span -> span.name().equals("charge") && span.error() != null)
                .toList();
        assertEquals((long) gaveUp.size(), statuses.get("503"));
        List<Span> lost = requests()
                .filter(span -> has(span, "http.response.status_code", 503))
                .toList();
        assertTrue(lost.stream().allMatch(span -> has(span, "tenant", Shop.SLOW_TENANT)));
        List<String> cells = row("Whose requests fail, and how many users are hit?", Shop.SLOW_TENANT);
        assertEquals(lost.size(), Integer.parseInt(cells.get(1)));
        assertEquals(
                lost.stream()
                        .map(span -> span.attributes().get("user.id"))
                        .distinct()
                        .count(),
                Long.parseLong(cells.get(3)));
    }

    @Test
    void shouldFindTheFirstTimeOut() {
        Log first = SHOP.logs.stream()
                .filter(log -> log.body().contains("lock timeout"))
                .min(Comparator.comparingLong(Log::time))
                .orElseThrow();
        List<String> cells = rows("Which host saw the error first?").get(0);
        assertEquals(List.of(time(first.time()), "ERROR", first.by().host(), first.body()), cells);
    }

    @Test
    void shouldDrawTheSlowestRequest() {
        Span slowest = requests()
                .max(Comparator.comparingLong(ShopAnswersTest::duration))
                .orElseThrow();
        assertEquals(
                slowest.trace(), rows("What were the slowest requests?").get(0).get(1));
        List<Span> of = spans(span -> span.trace().equals(slowest.trace())).toList();
        List<Log> logs = SHOP.logs.stream()
                .filter(log -> slowest.trace().equals(log.trace()))
                .toList();
        List<String> drawn = answer("What happened in the slowest request?");
        assertTrue(drawn.get(0).startsWith("trace " + slowest.trace()), drawn.get(0));
        long errors = of.stream().filter(span -> span.error() != null).count();
        assertTrue(
                drawn.get(1)
                        .contains(of.size() + " spans, " + errors + " errors, 5 services, " + logs.size()
                                + " log records"),
                drawn.get(1));
        List<List<String>> lines = rows("Which lines belong to that request?");
        assertEquals(logs.size(), lines.size());
    }

    @Test
    void shouldCountTheAttemptsOfEachVersion() {
        Map<Long, String> versions = spans(span -> span.name().equals("charge"))
                .collect(Collectors.toMap(Span::id, span -> span.by().version()));
        for (String version : List.of("1.8.2", "2.0.0")) {
            List<String> cells = row("How often does payment try again?", version);
            long attempts = spans(
                            span -> span.name().equals("UPDATE ledger") && version.equals(versions.get(span.parent())))
                    .count();
            assertEquals(attempts, Long.parseLong(cells.get(cells.size() - 1)), version);
        }
    }

    @Test
    void shouldNameTheNoisyNeighbours() {
        List<String> user = rows("Who sends the most requests?").get(0);
        long crawled =
                requests().filter(span -> has(span, "user.id", Shop.CRAWLER)).count();
        assertEquals(List.of(Shop.CRAWLER, Long.toString(crawled)), user.subList(0, 2));
        Map.Entry<String, Integer> most = SHOP.packets.stream()
                .collect(Collectors.groupingBy(
                        packet -> packet.src() + " " + packet.dst(), Collectors.summingInt(Packet::payloadLen)))
                .entrySet()
                .stream()
                .max(Map.Entry.comparingByValue())
                .orElseThrow();
        List<String> hosts = rows("Which hosts send the most bytes?").get(0);
        assertEquals(most.getKey(), hosts.get(0) + " " + hosts.get(1));
        assertEquals(most.getValue(), Integer.valueOf(hosts.get(hosts.size() - 1)));
    }

    @Test
    void shouldTellTheLengthOfTheQueue() {
        long[] failed = spans(span -> span.name().equals("charge") && span.error() != null)
                .mapToLong(Span::end)
                .toArray();
        int queued = 0;
        for (long minute = Shop.BEGIN + 60 * Shop.S; minute <= Shop.END; minute += 60 * Shop.S) {
            long end = minute;
            queued += (int) Arrays.stream(failed)
                    .filter(time -> time > end - 60 * Shop.S && time <= end)
                    .count();
            queued -= queued > 0 ? 1 : 0;
        }
        List<String> cells = rows("How long is it now?").get(0);
        assertEquals(queued, Integer.parseInt(cells.get(cells.size() - 1)));
    }

    @Test
    void shouldFindTheLostPackets() {
        assertTrue(SHOP.sentAgain.size() > 10);
        for (List<String> cells : rows("Where are packets lost?")) {
            long sentAgain = SHOP.sentAgain.stream()
                    .filter(packet -> cells.subList(0, 3)
                            .equals(List.of(Integer.toString(packet.sport()), packet.src(), packet.dst())))
                    .count();
            assertEquals(sentAgain, Long.parseLong(cells.get(3)) - Long.parseLong(cells.get(5)), cells::toString);
        }
    }

    @Test
    void shouldFindTheCollectionThatStoppedAPage() {
        List<Span> slow = requests()
                .filter(span -> span.name().equals("GET /products") && duration(span) > 100 * Shop.MS)
                .toList();
        List<List<String>> expected = SHOP.pauses.stream()
                .filter(pause -> slow.stream()
                        .anyMatch(span -> pause.tsNs() >= span.start() && pause.tsNs() - pause.pauseNs() <= span.end()))
                .map(pause -> List.of(pause.pod(), pause.kind(), pause.pauseNs() / Shop.MS + "ms"))
                .toList();
        assertEquals(
                expected,
                rows("Did garbage collections make pages slow?").stream()
                        .map(cells -> cells.subList(cells.size() - 3, cells.size()))
                        .toList());
    }

    @Test
    void shouldAddUpTheCounters() {
        Map<String, Long> routes = requests()
                .collect(Collectors.groupingBy(
                        span -> String.valueOf(span.attributes().get("http.route")), Collectors.counting()));
        for (Map.Entry<String, Long> route : routes.entrySet()) {
            List<String> counted = row("How many requests did the frontend count?", route.getKey());
            assertEquals(route.getValue(), Long.valueOf(counted.get(3)), route.getKey());
            List<String> estimate = row("What is the p99 by the histogram?", route.getKey());
            double exact = percentile(99, requests().filter(span -> has(span, "http.route", route.getKey())))
                    / (double) Shop.MS;
            assertTrue(exact > Double.parseDouble(estimate.get(4)), route.getKey());
            assertTrue(exact <= Double.parseDouble(estimate.get(5)), route.getKey());
        }
    }

    @Test
    void shouldListTheLastRequestsThatPaymentFailed() {
        assertEquals(
                spans(span -> span.name().equals("charge") && span.error() != null)
                        .sorted(Comparator.comparingLong(Span::end).reversed())
                        .limit(3)
                        .map(Span::trace)
                        .toList(),
                rows("Which requests failed in payment?").stream()
                        .map(cells -> cells.get(0))
                        .toList());
    }
}
