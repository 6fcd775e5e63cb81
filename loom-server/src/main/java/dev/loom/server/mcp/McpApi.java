package dev.loom.server.mcp;

import dev.loom.server.api.QueryApi;
import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.HttpApi;
import dev.loom.server.http.HttpCall;
import dev.loom.server.http.Load;
import dev.loom.server.http.Route;
import dev.loom.server.json.JsonText;
import dev.loom.server.text.ShortText;
import dev.loom.server.text.TextBuffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Answers assistants: {@code POST /mcp}, one message of JSON-RPC each, answered by one. There are no sessions and no streams; nothing is
 * changed. Usable from any thread.
 */
public final class McpApi implements HttpApi, Route {
    private static final String NAME = "mcp";
    private static final String PATH = "/mcp";
    private static final String JSON = "application/json";

    /** Versions that begin with a handshake, the latest first. Older ones have batches. */
    private static final List<String> HANDSHAKE_VERSIONS = List.of("2025-11-25", "2025-06-18");

    /** Versions whose requests say all by themselves. */
    private static final List<String> MODERN_VERSIONS = List.of("2026-07-28");

    private static final String META = "_meta";
    private static final String META_BEGIN = "io.modelcontextprotocol/";
    private static final String CALL = "tools/call";
    private static final String INITIALIZE = "initialize";

    /** How long clients may keep what does not change while the server runs. */
    private static final int LIST_TTL_MS = 300_000;

    private final QueryApi queries;
    private final String version;

    /**
     * Prepares to answer.
     *
     * @param queries what the tools ask
     * @param version Loom's own
     */
    public McpApi(QueryApi queries, String version) {
        this.queries = queries;
        this.version = version;
    }

    @Override
    public Set<String> names() {
        return Set.of(NAME);
    }

    @Override
    public @Nullable Route route(String method, String path) {
        if (!path.equals(PATH)) {
            return null;
        } else if (!method.equals("POST")) {
            throw ApiFailure.method("POST", method);
        }
        return this;
    }

    @Override
    public boolean reads(String type) {
        return type.equals(JSON);
    }

    @Override
    public Reply failure(ApiFailure failure) {
        return new Reply(
                JSON, error(null, RpcException.INVALID_REQUEST, String.valueOf(failure.getMessage()), failure.row()));
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Load load(HttpCall call) {
        try {
            RpcMessage message = RpcMessage.parse(call.body());
            boolean calls = CALL.equals(message.method());
            return calls && !QueryApi.isLookup(message.text("name")) ? Load.QUERY : Load.LOOKUP;
        } catch (RpcException e) {
            return Load.LOOKUP; // it is refused
        }
    }

    @Override
    public void answer(HttpCall call) throws IOException {
        String id = null;
        try {
            requireJson(call.header("Accept"));
            RpcMessage message = RpcMessage.parse(call.body());
            id = message.id();
            // a handshake says in its body what it asks for; some clients name their latest version in the header
            boolean modern = !INITIALIZE.equals(message.method()) && isModern(call.header("MCP-Protocol-Version"));
            if (id == null) {
                send(call, 202, "");
                return;
            } else if (modern) {
                requireEnvelope(call, message);
            }
            send(
                    call,
                    200,
                    "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":" + result(call, message, modern) + "}\n");
        } catch (RpcException e) {
            send(call, e.status(), error(id, e.code(), String.valueOf(e.getMessage()), e.data()));
        }
    }

    private static void send(HttpCall call, int status, String text) throws IOException {
        call.begin(status, JSON).write(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String error(@Nullable String id, int code, String message, Map<String, Object> data) {
        Map<String, Object> error = new LinkedHashMap<>();
        error.put("code", code);
        error.put("message", ShortText.of(message));
        if (!data.isEmpty()) {
            error.put("data", data);
        }
        return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"error\":" + JsonText.object(error) + "}\n";
    }

    private static void requireJson(@Nullable String accept) {
        String types = accept == null ? "*/*" : accept.toLowerCase(Locale.ROOT);
        if (!types.contains(JSON) && !types.contains("*/*") && !types.contains("application/*")) {
            throw new ApiFailure(406, "not_acceptable", "answers are application/json: accept=" + accept);
        }
    }

    /** Whether a request says all by itself. */
    private static boolean isModern(@Nullable String version) {
        if (version == null || HANDSHAKE_VERSIONS.contains(version)) {
            return false; // the first request has none
        } else if (MODERN_VERSIONS.contains(version)) {
            return true;
        }
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("supported", versions());
        data.put("requested", ShortText.of(version));
        throw new RpcException(
                RpcException.UNSUPPORTED_VERSION, 400, "protocol version is not supported: " + version, data);
    }

    private static List<String> versions() {
        return List.of(MODERN_VERSIONS.get(0), HANDSHAKE_VERSIONS.get(0), HANDSHAKE_VERSIONS.get(1));
    }

    /** A request that says all by itself has to say the same in its headers. */
    private static void requireEnvelope(HttpCall call, RpcMessage message) {
        Map<String, @Nullable Object> meta = RpcMessage.object(message.params(), META);
        for (String key : List.of("protocolVersion", "clientCapabilities")) {
            if (meta.get(META_BEGIN + key) == null) {
                throw new RpcException(RpcException.INVALID_PARAMS, 400, "_meta lacks " + META_BEGIN + key);
            }
        }
        requireEqual(call, "MCP-Protocol-Version", meta.get(META_BEGIN + "protocolVersion"));
        requireEqual(call, "Mcp-Method", message.method());
        if (CALL.equals(message.method())) {
            requireEqual(call, "Mcp-Name", message.text("name"));
        }
    }

    private static void requireEqual(HttpCall call, String header, @Nullable Object value) {
        if (!Objects.equals(call.header(header), value)) {
            throw new RpcException(RpcException.HEADER_MISMATCH, 400, "header differs from the message: " + header);
        }
    }

    private String result(HttpCall call, RpcMessage message, boolean modern) throws IOException {
        String method = String.valueOf(message.method());
        if (method.equals(CALL)) {
            return called(call, message, modern);
        }
        Map<String, Object> result = new LinkedHashMap<>();
        if (method.equals("tools/list")) {
            result.put("tools", Tools.all().stream().map(Tool::listed).toList());
        } else if (method.equals(INITIALIZE)) {
            String asked = message.text("protocolVersion");
            result.put("protocolVersion", HANDSHAKE_VERSIONS.contains(asked) ? asked : HANDSHAKE_VERSIONS.get(0));
            describe(result);
            result.put("serverInfo", server());
        } else if (method.equals("server/discover") && modern) {
            result.put("supportedVersions", versions());
            describe(result);
        } else if (modern || !method.equals("ping")) { // the latest version has no pings
            throw new RpcException(
                    RpcException.METHOD_NOT_FOUND, modern ? 404 : 200, "no such method: " + message.method());
        }
        if (modern) {
            result.put("resultType", "complete");
            result.put("ttlMs", LIST_TTL_MS);
            result.put("cacheScope", "private");
            result.put(META, Map.of(META_BEGIN + "serverInfo", server()));
        }
        return JsonText.object(result).toString();
    }

    private static void describe(Map<String, Object> result) {
        result.put("capabilities", Map.of("tools", Map.of()));
        result.put("instructions", Tools.INSTRUCTIONS);
    }

    private Map<String, Object> server() {
        Map<String, Object> server = new LinkedHashMap<>();
        server.put("name", "loom");
        server.put("title", "Loom");
        server.put("version", version);
        return server;
    }

    private String called(HttpCall call, RpcMessage message, boolean modern) {
        String name = message.text("name");
        Tool tool = Tools.find(name);
        if (tool == null) {
            throw new RpcException(RpcException.INVALID_PARAMS, modern ? 400 : 200, "no such tool: " + name);
        }
        Map<String, @Nullable Object> arguments = RpcMessage.object(message.params(), "arguments");
        ToolAnswer answer = new ToolAnswer();
        String json = null;
        String text;
        try {
            queries.answer(name, tool.members(arguments), () -> call.cancelled() || answer.full(), () -> answer);
            json = answer.json();
            text = json;
        } catch (ApiFailure e) {
            text = e.code() + ": " + e.getMessage();
        }
        TextBuffer result = new TextBuffer(1024);
        result.put("{\"content\":[{\"type\":\"text\",\"text\":");
        JsonText.putString(result, text);
        result.put("}]");
        if (json != null) {
            result.put(",\"structuredContent\":" + json);
        }
        result.put(",\"isError\":" + (json == null));
        result.put(modern ? ",\"resultType\":\"complete\"}" : "}");
        return result.toString();
    }
}
