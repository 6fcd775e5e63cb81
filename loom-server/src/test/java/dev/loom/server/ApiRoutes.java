package dev.loom.server;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * A request to each path of the API port, with parameters that are right for the store that {@link #fill} fills. A test compares their names
 * with those in a server's metrics, so that no new route can be left out.
 */
final class ApiRoutes {
    static final String JSON = "application/json";
    static final String FORM = "application/x-www-form-urlencoded";

    private static final String LOKI = "/loki/api/v1/";
    private static final String PROMETHEUS = "/prometheus/api/v1/";
    private static final String TRACE = "0000000000000000000000000000000a";
    private static final String LINES = "{source=\"lines\"}";
    private static final String SPANS = "\"source\":\"otlp.spans\"";
    private static final String SLOW = SPANS + ",\"field\":\"duration\",\"above\":\"1us\"";

    private ApiRoutes() {}

    /**
     * A request.
     *
     * @param name of its route in the metrics
     * @param path with {@code *} in place of {@code named}
     * @param named a name in the path; empty if it has none
     * @param body empty if the method has none
     */
    record Asked(String name, String method, String path, String named, Map<String, String> parameters, String body) {
        /** The same with another value of a parameter. */
        Asked with(String parameter, String value) {
            Map<String, String> changed = new LinkedHashMap<>(parameters);
            changed.put(parameter, value);
            return new Asked(name, method, path, named, changed, body);
        }

        Asked withNamed(String other) {
            return new Asked(name, method, path, other, parameters, body);
        }

        Asked withBody(String other) {
            return new Asked(name, method, path, named, parameters, other);
        }

        /** The parameters, encoded. */
        String form() {
            return parameters.entrySet().stream()
                    .map(each -> encoded(each.getKey()) + "=" + encoded(each.getValue()))
                    .collect(Collectors.joining("&"));
        }

        /** Path and parameters, encoded. */
        String target() {
            String whole = path.replace("*", encoded(named).replace("+", "%20"));
            return parameters.isEmpty() ? whole : whole + "?" + form();
        }

        boolean hasBody() {
            return method.equals("POST");
        }

        /** Whether the route takes its parameters as a form, too. */
        boolean takesForms() {
            return path.startsWith(LOKI) || path.startsWith(PROMETHEUS);
        }

        @Override
        public String toString() {
            return name + " " + path;
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /** Sends what the requests ask for: spans and a metric; the source {@code lines} has to be there. */
    static void fill(LoomServer server) throws Exception {
        SentSpans spans = new SentSpans(server);
        spans.send(new Random(7), 20);
        spans.postMetric();
    }

    /** One request to each path. */
    static List<Asked> all() {
        List<Asked> all = new ArrayList<>();
        addPage(all);
        addQueries(all);
        addLoki(all);
        addPrometheus(all);
        addTraces(all);
        all.add(posted(
                "mcp",
                "/mcp",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"scan\",\"arguments\":"
                        + "{\"source\":\"lines\"}}}"));
        return List.copyOf(all);
    }

    private static void addPage(List<Asked> all) {
        for (String path : List.of("/", "/page/main.js", "/page/page.css", "/page/vendor/uPlot.LICENSE")) {
            all.add(got("page", path, ""));
        }
    }

    private static void addQueries(List<Asked> all) {
        String lines = "\"source\":\"lines\"";
        String points = "\"source\":\"otlp.metrics\"";
        Map<String, String> members = new LinkedHashMap<>();
        members.put("sources", "");
        members.put("fields", lines);
        members.put("indexes", "");
        members.put("info", "");
        members.put("schema", "\"op\":\"source\",\"name\":\"lines\"");
        members.put("scan", lines);
        members.put("search", lines + ",\"query\":\"error\"");
        members.put("tail", lines);
        members.put("agg", SPANS + ",\"field\":\"duration\"");
        members.put("values", SPANS + ",\"field\":\"name\"");
        members.put("hist", SPANS + ",\"field\":\"duration\"");
        members.put("top", SPANS + ",\"field\":\"duration\"");
        members.put("correlate", SLOW + ",\"with\":\"lines\",\"within\":\"1s\"");
        members.put("diff", SLOW);
        members.put("metrics", points);
        members.put("series", points + ",\"name\":\"m\"");
        members.put("traces", "");
        members.put("trace", "\"trace_id\":\"" + TRACE + "\"");
        members.forEach((name, text) -> all.add(posted(name, "/v1/" + name, "{" + text + "}")));
    }

    private static void addLoki(List<Asked> all) {
        String count = "sum(count_over_time(" + LINES + " [1h]))";
        all.add(got("loki_ready", "/ready", ""));
        all.add(got("loki_query", LOKI + "query", "", "query", count));
        all.add(got("loki_query_range", LOKI + "query_range", "", "query", LINES, "limit", "10"));
        all.add(got("loki_query_range", LOKI + "query_range", "", "query", count, "step", "60"));
        all.add(got("loki_labels", LOKI + "labels", ""));
        all.add(got("loki_label", LOKI + "label", ""));
        all.add(got("loki_label_values", LOKI + "label/*/values", "source"));
        all.add(got("loki_series", LOKI + "series", "", "match[]", LINES));
        all.add(got("loki_index_stats", LOKI + "index/stats", "", "query", LINES));
        all.add(got("loki_index_volume", LOKI + "index/volume", "", "query", LINES));
        all.add(got("loki_index_volume_range", LOKI + "index/volume_range", "", "query", LINES));
        all.add(got("loki_detected_labels", LOKI + "detected_labels", ""));
        all.add(got("loki_detected_fields", LOKI + "detected_fields", "", "query", LINES));
        all.add(got("loki_detected_field_values", LOKI + "detected_field/*/values", "name", "query", LINES));
        all.add(got("loki_tail", LOKI + "tail", "", "query", LINES));
        all.add(got("loki_format_query", LOKI + "format_query", "", "query", LINES));
        all.add(got("loki_status_buildinfo", LOKI + "status/buildinfo", ""));
    }

    private static void addPrometheus(List<Asked> all) {
        for (String path : List.of("/prometheus", "/prometheus/", "/prometheus/-/healthy", "/prometheus/-/ready")) {
            all.add(got("prometheus_probe", path, ""));
        }
        long beginS = SentSpans.BEGIN_NS / 1_000_000_000L;
        String time = Long.toString(beginS + 1);
        all.add(got("prometheus_query", PROMETHEUS + "query", "", "query", "sum(rate(m[5m]))", "time", time));
        all.add(got(
                "prometheus_query_range",
                PROMETHEUS + "query_range",
                "",
                "query",
                "max_over_time(m[5m])",
                "start",
                time,
                "end",
                Long.toString(beginS + 60),
                "step",
                "15"));
        all.add(got("prometheus_series", PROMETHEUS + "series", "", "match[]", "m"));
        all.add(got("prometheus_labels", PROMETHEUS + "labels", ""));
        all.add(got("prometheus_label_values", PROMETHEUS + "label/*/values", "__name__"));
        all.add(got("prometheus_metadata", PROMETHEUS + "metadata", ""));
        all.add(got("prometheus_format_query", PROMETHEUS + "format_query", "", "query", "m"));
        all.add(got("prometheus_buildinfo", PROMETHEUS + "status/buildinfo", ""));
    }

    private static void addTraces(List<Asked> all) {
        String jaeger = "/jaeger/api/";
        all.add(got("jaeger_services", jaeger + "services", ""));
        all.add(got("jaeger_operations", jaeger + "services/*/operations", "web"));
        all.add(got("jaeger_operations", jaeger + "operations", "", "service", "web"));
        all.add(got("jaeger_dependencies", jaeger + "dependencies", ""));
        all.add(got("jaeger_traces", jaeger + "traces", "", "service", "web"));
        all.add(got("jaeger_traces", jaeger + "traces/*", TRACE));
        String tempo = "/tempo/api/";
        all.add(got("tempo_state", tempo + "echo", ""));
        all.add(got("tempo_state", tempo + "status/buildinfo", ""));
        all.add(got("tempo_traces", tempo + "traces/*", TRACE));
        all.add(got("tempo_traces", tempo + "v2/traces/*", TRACE));
        all.add(got("tempo_search", tempo + "search", "", "q", "{ duration > 1us }"));
        all.add(got("tempo_tags", tempo + "search/tags", ""));
        all.add(got("tempo_tags", tempo + "v2/search/tags", ""));
        all.add(got("tempo_tags", tempo + "search/tag/*/values", "service.name"));
        all.add(got("tempo_tags", tempo + "v2/search/tag/*/values", "resource.service.name"));
    }

    private static Asked got(String name, String path, String named, String... parameters) {
        Map<String, String> pairs = new LinkedHashMap<>();
        for (int i = 0; i < parameters.length; i += 2) {
            pairs.put(parameters[i], parameters[i + 1]);
        }
        return new Asked(name, "GET", path, named, pairs, "");
    }

    private static Asked posted(String name, String path, String body) {
        return new Asked(name, "POST", path, "", Map.of(), body);
    }
}
