package dev.loom.server.loki;

import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.HttpApi;
import dev.loom.server.http.HttpCall;
import dev.loom.server.http.Load;
import dev.loom.server.http.Route;
import dev.loom.server.http.StoreQueries;
import dev.loom.server.json.JsonText;
import dev.loom.server.text.TextBuffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The API of Loki: {@code /loki/api/v1/...}. Usable from any thread. */
public final class LokiApi implements HttpApi {
    private static final String PREFIX = "/loki/";
    private static final String API = "/loki/api/v1/";
    private static final String FORM = "application/x-www-form-urlencoded";
    private static final String JSON = "application/json; charset=utf-8";
    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String READY = "/ready";
    private static final String LABEL_VALUES = "label_values";
    private static final String FIELD_VALUES = "detected_field_values";
    private static final Pattern NAMED = Pattern.compile("(label|detected_field)/([^/]+)/values");

    private final Map<String, LokiRoute> routes = new TreeMap<>();

    /** @param version of the program, which clients may ask for */
    public LokiApi(StoreQueries queries, String version) {
        LokiQueries asked = new LokiQueries(queries);
        LokiCatalog catalog = new LokiCatalog(queries);
        LokiTail tail = new LokiTail(queries);
        add("query", Load.QUERY, (call, name) -> asked.instant(call));
        add("query_range", Load.QUERY, (call, name) -> asked.range(call));
        add("labels", Load.LOOKUP, (call, name) -> json(call, catalog.labels(new LokiParameters(call))));
        add("label", Load.LOOKUP, (call, name) -> json(call, catalog.labels(new LokiParameters(call))));
        add(LABEL_VALUES, Load.QUERY, (call, name) -> json(call, catalog.values(call, name)));
        add("series", Load.QUERY, (call, name) -> json(call, catalog.series(call)));
        add("index/stats", Load.QUERY, (call, name) -> json(call, catalog.stats(call)));
        add("index/volume", Load.QUERY, (call, name) -> asked.volume(call, false));
        add("index/volume_range", Load.QUERY, (call, name) -> asked.volume(call, true));
        add("detected_labels", Load.QUERY, (call, name) -> json(call, catalog.detectedLabels(call)));
        add("detected_fields", Load.QUERY, (call, name) -> json(call, catalog.detectedFields(call, "")));
        add(FIELD_VALUES, Load.QUERY, (call, name) -> json(call, catalog.detectedFields(call, name)));
        add("tail", Load.FOLLOWER, (call, name) -> tail.answer(call));
        add("format_query", Load.LOOKUP, (call, name) -> json(call, format(call)));
        add("status/buildinfo", Load.LOOKUP, (call, name) -> json(call, buildInfo(version)));
    }

    /** Answers a request; {@code name} is the label or field in its path, if it has one. */
    private interface Answer {
        void to(HttpCall call, String name) throws IOException;
    }

    private record LokiRoute(String name, Load load, String parameter, Answer answer) implements Route {
        @Override
        public Load load(HttpCall call) {
            return load;
        }

        @Override
        public void answer(HttpCall call) throws IOException {
            answer.to(call, parameter);
        }
    }

    private void add(String path, Load load, Answer answer) {
        routes.put(path, new LokiRoute("loki_" + path.replace('/', '_'), load, "", answer));
    }

    @Override
    public Set<String> names() {
        return routes.values().stream().map(LokiRoute::name).collect(Collectors.toSet());
    }

    @Override
    public @Nullable Route route(String method, String path) {
        if (!path.startsWith(PREFIX) && !path.equals(READY)) {
            return null;
        }
        if (!method.equals("GET") && !method.equals("POST")) {
            throw ApiFailure.method("GET or POST", method);
        } else if (path.equals(READY)) {
            return new LokiRoute(
                    "loki_labels",
                    Load.LOOKUP,
                    "",
                    (call, name) -> call.begin(200, TEXT).write("ready\n".getBytes(StandardCharsets.US_ASCII)));
        }
        String asked = path.startsWith(API) ? path.substring(API.length()) : "";
        LokiRoute route = routes.get(asked);
        Matcher named = NAMED.matcher(asked);
        if (route == null && named.matches()) {
            LokiRoute values = routes.get(named.group(1).equals("label") ? LABEL_VALUES : FIELD_VALUES);
            route = values == null
                    ? null
                    : new LokiRoute(values.name(), values.load(), named.group(2), values.answer());
        }
        if (route == null || asked.equals(LABEL_VALUES) || asked.equals(FIELD_VALUES)) {
            throw ApiFailure.notFound("no such path: " + path);
        }
        return route;
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
