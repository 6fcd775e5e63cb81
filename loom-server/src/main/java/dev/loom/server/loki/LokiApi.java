package dev.loom.server.loki;

import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.HttpApi;
import dev.loom.server.http.HttpCall;
import dev.loom.server.http.Load;
import dev.loom.server.http.Route;
import dev.loom.server.http.RouteTable;
import dev.loom.server.http.StoreQueries;
import dev.loom.server.json.JsonText;
import dev.loom.server.text.TextBuffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The API of Loki: {@code /loki/api/v1/...}. Usable from any thread. */
public final class LokiApi implements HttpApi {
    private static final String PREFIX = "/loki/";
    private static final String API = "api/v1/";
    private static final String FORM = "application/x-www-form-urlencoded";
    private static final String JSON = "application/json; charset=utf-8";
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String READY = "/ready";
    private static final String NAMES_BEGIN = "loki_";
    private static final String[] METHODS = {"GET", "POST"};

    private final RouteTable routes = new RouteTable(PREFIX, METHODS);
    private final RouteTable ready = new RouteTable(READY, METHODS);

    /** @param version of the program, which clients may ask for */
    public LokiApi(StoreQueries queries, String version) {
        LokiQueries asked = new LokiQueries(queries);
        LokiCatalog catalog = new LokiCatalog(queries);
        LokiTail tail = new LokiTail(queries);
        add("query", Load.QUERY, (call, none) -> asked.instant(call));
        add("query_range", Load.QUERY, (call, none) -> asked.range(call));
        add("labels", Load.LOOKUP, (call, none) -> json(call, catalog.labels(call)));
        add("label", Load.LOOKUP, (call, none) -> json(call, catalog.labels(call)));
        add("label/*/values", Load.QUERY, (call, name) -> json(call, catalog.values(call, name)));
        add("series", Load.QUERY, (call, none) -> json(call, catalog.series(call)));
        add("index/stats", Load.QUERY, (call, none) -> json(call, catalog.stats(call)));
        add("index/volume", Load.QUERY, (call, none) -> asked.volume(call, false));
        add("index/volume_range", Load.QUERY, (call, none) -> asked.volume(call, true));
        add("detected_labels", Load.QUERY, (call, none) -> json(call, catalog.detectedLabels(call)));
        add("detected_fields", Load.QUERY, (call, none) -> json(call, catalog.detectedFields(call, "")));
        add("detected_field/*/values", Load.QUERY, (call, name) -> json(call, catalog.detectedFields(call, name)));
        add("tail", Load.FOLLOWER, (call, none) -> tail.answer(call));
        add("format_query", Load.LOOKUP, (call, none) -> json(call, format(call)));
        add("status/buildinfo", Load.LOOKUP, (call, none) -> json(call, buildInfo(version)));
        byte[] yes = "ready\n".getBytes(StandardCharsets.US_ASCII);
        ready.add(
                NAMES_BEGIN + "ready",
                Load.LOOKUP,
                "",
                (call, none) -> call.begin(200, TEXT).write(yes));
    }

    private void add(String path, Load load, RouteTable.Answer answer) {
        String name = path.replace("/*/", "_").replace('/', '_');
        routes.add(NAMES_BEGIN + name, load, API + path, answer);
    }

    @Override
    public Set<String> names() {
        return Stream.of(routes, ready).flatMap(each -> each.names().stream()).collect(Collectors.toSet());
    }

    @Override
    public @Nullable Route route(String method, String path) {
        return path.equals(READY) ? ready.find(method, path) : routes.find(method, path);
    }

    @Override
    public boolean reads(String type) {
        return type.equals(FORM);
    }

    @Override
    public Reply failure(ApiFailure failure) {
        return new Reply(TEXT, failure.getMessage() + "\n");
    }

    private static void json(HttpCall call, Map<String, ? extends @Nullable Object> answer) throws IOException {
        TextBuffer text = JsonText.line(answer);
        call.begin(200, JSON).write(text.array(), 0, text.length());
    }

    private static Map<String, Object> format(HttpCall call) {
        return Map.of(
                "status",
                "success",
                "data",
                LogQlParser.parse(new LokiParameters(call).query()).toString());
    }

    private static Map<String, Object> buildInfo(String version) {
        Map<String, Object> info = new LinkedHashMap<>();
        info.put("version", "loom-" + version);
        for (String unknown : new String[] {"revision", "branch", "buildUser", "buildDate", "goVersion"}) {
            info.put(unknown, "");
        }
        return info;
    }
}
