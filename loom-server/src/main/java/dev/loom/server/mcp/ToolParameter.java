package dev.loom.server.mcp;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A parameter of a tool: a member of the query API's request.
 *
 * @param name the member's
 * @param schema its JSON schema without the description
 * @param description for the assistant
 */
record ToolParameter(String name, Map<String, Object> schema, String description, boolean required) {
    static ToolParameter text(String name, String description) {
        return new ToolParameter(name, Map.of("type", "string"), description, false);
    }

    static ToolParameter texts(String name, String description) {
        return new ToolParameter(name, Map.of("type", "array", "items", Map.of("type", "string")), description, false);
    }

    static ToolParameter number(String name, String description) {
        return new ToolParameter(name, Map.of("type", "integer", "minimum", 0), description, false);
    }

    static ToolParameter flag(String name, String description) {
        return new ToolParameter(name, Map.of("type", "boolean"), description, false);
    }

    static ToolParameter word(String name, List<String> words, String description) {
        return new ToolParameter(name, Map.of("type", "string", "enum", words), description, false);
    }

    /** The same, but it has to be there. */
    ToolParameter asRequired() {
        return new ToolParameter(name, schema, description, true);
    }

    /** The whole schema. */
    Map<String, Object> described() {
        Map<String, Object> described = new LinkedHashMap<>(schema);
        described.put("description", description);
        return described;
    }
}
