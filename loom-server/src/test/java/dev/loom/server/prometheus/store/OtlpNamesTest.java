package dev.loom.server.prometheus.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.re2j.Pattern;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Names as Prometheus' own translator (otlptranslator 1.0.0) makes them; {@code docs/examples/clients/promql/names} printed them. */
final class OtlpNamesTest {
    private static BufferedReader names() {
        return new BufferedReader(new InputStreamReader(
                Objects.requireNonNull(OtlpNamesTest.class.getResourceAsStream("/prometheus/names.tsv")),
                StandardCharsets.UTF_8));
    }

    @Test
    void shouldNameMetricsAsPrometheusDoesAndFindThemByThatName() throws IOException {
        int metrics = 0;
        try (BufferedReader lines = names()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] fields = line.split("\t", -1);
                if (fields[0].equals("metric")) {
                    String kind = fields[3].startsWith("sum") ? "sum" : fields[3];
                    boolean monotonic = fields[3].equals("sum true");
                    String words = fields[1].replaceAll("[^a-zA-Z0-9:]+", " ").strip();
                    if (words.matches("((total|ratio) ?)*")) {
                        continue;
                    }
                    assertEquals(fields[4], OtlpNames.metric(fields[1], fields[2], kind, monotonic), line);
                    for (String suffix : new String[] {"", "_bucket", "_sum", "_count"}) {
                        Pattern back = Pattern.compile(OtlpNames.pattern(fields[4] + suffix));
                        assertTrue(back.matcher(fields[1]).find(), line);
                    }
                    metrics++;
                }
            }
        }
        assertTrue(metrics > 1_000, "metrics=" + metrics);
    }

    @Test
    void shouldNotNameMetricsWithoutAWordThatStays() {
        for (String name : new String[] {"", ".", "total", "ratio.total", "_total_"}) {
            assertEquals("", OtlpNames.metric(name, "s", "sum", true), name);
        }
        assertEquals("a_seconds_total", OtlpNames.metric("total.a", "s", "sum", true));
    }

    @Test
    void shouldNameLabelsAsPrometheusDoes() throws IOException {
        int labels = 0;
        try (BufferedReader lines = names()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] fields = line.split("\t", -1);
                if (fields[0].equals("label")) {
                    assertEquals(fields[2], OtlpNames.label(fields[1]), line);
                    labels++;
                }
            }
        }
        assertTrue(labels > 5, "labels=" + labels);
        assertEquals("key__name__", OtlpNames.label("__name__")); // a name of Prometheus' own
    }

    @Test
    void shouldNotReadOtherMetricsForAName() {
        Pattern back = Pattern.compile(OtlpNames.pattern("http_server_duration_seconds_bucket"));
        assertTrue(back.matcher("http.server.duration").find());
        for (String other :
                new String[] {"http.client.duration", "server.http", "http.server.durations", "https.server"}) {
            assertFalse(back.matcher(other).find(), other);
        }
    }

    @Test
    void shouldReadAttributesOfAnyShape() {
        assertEquals(
                Map.of("a", "x", "b", "1.5", "c", "true", "d", "[1,{\"e\":[[[[[\"deep\"]]]]]}]"),
                AttributeTexts.of(
                        "{\"a\":\"x\",\"b\":1.5,\"c\":true,\"d\":[1,{\"e\":[[[[[\"deep\"]]]]]}],\"n\":null}"));
        assertEquals(Map.of(), AttributeTexts.of("[1]"));
        assertEquals(Map.of("a", "x"), AttributeTexts.of("{\"a\":\"x\",\"b"));
        assertEquals(Map.of(), AttributeTexts.of(""));
    }
}
