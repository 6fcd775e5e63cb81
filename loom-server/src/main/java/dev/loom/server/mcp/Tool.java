package dev.loom.server.mcp;

import dev.loom.server.http.ApiFailure;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A tool: a request of the query API by its name, with some of its members, and what they are if they are not given.
 *
 * @param defaults of members, as the query API reads them; they need not be parameters
 */
record Tool(String name, String description, List<ToolParameter> parameters, Map<String, Object> defaults) {
    /** What its answers look like. */
    private static final Map<String, Object> OUTPUT = Map.of(
            "type",
            "object",
            "properties",
            Map.of(
                    "rows", Map.of("type", "array", "items", Map.of("type", "object")),
                    "end", Map.of("type", "object"),
                    "truncated", Map.of("type", "string")),
            "required",
            List.of("rows", "end"));

    private static final Map<String, Object> ANNOTATIONS =
            Map.of("readOnlyHint", true, "idempotentHint", true, "openWorldHint", false);

    /** How it is listed. */
    Map<String, Object> listed() {
        Map<String, Object> properties = new LinkedHashMap<>();
        parameters.forEach(parameter -> properties.put(parameter.name(), parameter.described()));
        Map<String, Object> input = new LinkedHashMap<>();
        input.put("type", "object");
        input.put("properties", properties);
        input.put(
                "required",
                parameters.stream()
                        .filter(ToolParameter::required)
                        .map(ToolParameter::name)
                        .toList());
        input.put("additionalProperties", false);
        Map<String, Object> listed = new LinkedHashMap<>();
        listed.put("name", name);
        listed.put("description", description);
        listed.put("inputSchema", input);
        listed.put("outputSchema", OUTPUT);
        listed.put("annotations", ANNOTATIONS);
        return listed;
    }

    /**
     * The members of the request for some arguments.
     *
     * @throws ApiFailure if an argument is unknown
     */
    Map<String, @Nullable Object> members(Map<String, @Nullable Object> arguments) {
        List<String> known = parameters.stream().map(ToolParameter::name).toList();
        for (String argument : arguments.keySet()) {
            if (!known.contains(argument)) {
                throw ApiFailure.badRequest("unknown argument: " + argument + "; known: " + known);
            }
        }
        Map<String, @Nullable Object> members = new LinkedHashMap<>(arguments);
        members.values().removeIf(value -> value == null);
        defaults.forEach(members::putIfAbsent);
        if (name.equals("agg") && (members.containsKey("by") || members.containsKey("step"))) {
            members.putIfAbsent("limit", Tools.ROWS);
        }
        return members;
    }
}
