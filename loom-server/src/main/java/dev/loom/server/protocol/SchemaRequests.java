package dev.loom.server.protocol;

import dev.loom.api.Source;
import dev.loom.format.Formats;
import dev.loom.format.PayloadFormat;
import dev.loom.server.request.RefusedException;
import dev.loom.server.schema.IndexEntry;
import dev.loom.server.schema.SchemaAccess;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Requests about a schema as a sidecar takes them, with their operation as {@code op}:
 *
 * <ul>
 *   <li>{@code source}: {@code name}. Answered by {@code source}, which is null if there is none.
 *   <li>{@code define-source}: {@code name}, {@code format}, {@code attributes}. Answered by {@code source}.
 *   <li>{@code set-attributes}: {@code name}, {@code attributes}. Answered by {@code source}.
 *   <li>{@code close-source}: {@code name}. Answered by {@code source}.
 *   <li>{@code define-index}: {@code source}, {@code field}, {@code bins}, {@code by}, {@code backfill}. Answered by {@code index}.
 *   <li>{@code close-index}: {@code source}, {@code name}. Answered by {@code index}.
 * </ul>
 */
public final class SchemaRequests {
    private static final String OP = "op";
    private static final String NAME = "name";
    private static final String SOURCE = "source";
    private static final String FORMAT = "format";
    private static final String ATTRIBUTES = "attributes";
    private static final String FIELD = "field";
    private static final String BINS = "bins";
    private static final String BY = "by";
    private static final String BACKFILL = "backfill";
    private static final String INDEX = "index";
    private static final String LOG_LINEAR = "log-linear";

    private final Supplier<SchemaAccess> schema;
    private final IntPredicate fed;
    private final Changes changes;

    /**
     * Whether clients may change the schema.
     *
     * @param setting the setting's name, for messages
     */
    public record Changes(String setting, boolean allowed) {}

    /**
     * @param schema throws while the store can't be written
     * @param fed whether a receiver feeds the source with an id, which clients may then not close
     */
    public SchemaRequests(Supplier<SchemaAccess> schema, IntPredicate fed, Changes changes) {
        this.schema = schema;
        this.fed = fed;
        this.changes = changes;
    }

    /**
     * Carries out a request.
     *
     * @throws RefusedException with the reason if it can't be carried out
     */
    public Map<String, @Nullable Object> answer(Map<String, ? extends @Nullable Object> request) {
        String operation = text(request, OP);
        return switch (operation) {
            case SOURCE -> answer(SOURCE, openSource(text(request, NAME)));
            case "define-source" -> answer(SOURCE, members(defineSource(request)));
            case "set-attributes" -> answer(SOURCE, members(setAttributes(request)));
            case "close-source" -> answer(SOURCE, members(closeSource(text(request, NAME))));
            case "define-index" -> answer(INDEX, members(defineIndex(request)));
            case "close-index" -> answer(INDEX, members(closeIndex(text(request, SOURCE), text(request, NAME))));
            default -> throw RefusedException.invalid("unknown operation: op=" + operation);
        };
    }

    private @Nullable Map<String, Object> openSource(String name) {
        return schema.get().openSource(name).map(SchemaRequests::members).orElse(null);
    }

    /** The schema, for this change. */
    private SchemaAccess allowed(String change) {
        if (!changes.allowed()) {
            throw RefusedException.forbidden(
                    "schema changes are disabled: operation=" + change + ", setting=" + changes.setting());
        }
        return schema.get();
    }

    private static Map<String, @Nullable Object> answer(String name, @Nullable Object value) {
        Map<String, @Nullable Object> answer = new LinkedHashMap<>();
        answer.put(name, value);
        return answer;
    }

    private Source defineSource(Map<String, ? extends @Nullable Object> request) {
        PayloadFormat format;
        try {
            format = Formats.parse(text(request, FORMAT));
        } catch (IllegalArgumentException e) {
            throw RefusedException.invalid(String.valueOf(e.getMessage()));
        }
        String name = text(request, NAME);
        Map<String, String> attributes = texts(request.get(ATTRIBUTES));
        // clients define their sources each time they connect, so defining an existing one is no change
        boolean existing = schema.get().openSource(name).isPresent();
        return (existing ? schema.get() : allowed("define-source " + name)).defineSource(name, format, attributes);
    }

    private Source setAttributes(Map<String, ? extends @Nullable Object> request) {
        String name = text(request, NAME);
        Map<String, String> attributes = texts(request.get(ATTRIBUTES));
        return allowed("set-attributes " + name).setAttributes(name, attributes);
    }

    private Source closeSource(String name) {
        SchemaAccess allowed = allowed("close-source " + name);
        if (allowed.openSource(name).map(Source::id).filter(fed::test).isPresent()) {
            throw RefusedException.forbidden(
                    "source is fed by the OTLP receiver and can't be closed while it runs: source=" + name
                            + "; receivers.otlp sets what it receives");
        }
        return allowed.closeSource(name);
    }

    private IndexEntry defineIndex(Map<String, ? extends @Nullable Object> request) {
        String bins = request.get(BINS) == null ? LOG_LINEAR : text(request, BINS);
        String source = text(request, SOURCE);
        String field = text(request, FIELD);
        boolean backfill = flag(request, BACKFILL);
        return allowed("define-index " + source + '.' + field)
                .defineIndex(source, field, bins, list(request, BY), backfill);
    }

    private IndexEntry closeIndex(String source, String name) {
        return allowed("close-index " + source + '.' + name).closeIndex(source, name);
    }

    private static boolean flag(Map<String, ? extends @Nullable Object> request, String name) {
        Object value = request.get(name);
        if (value != null && !(value instanceof Boolean)) {
            throw RefusedException.invalid("neither true nor false: member=" + name);
        }
        return Boolean.TRUE.equals(value);
    }

    private static String text(Map<String, ? extends @Nullable Object> request, String name) {
        if (!(request.get(name) instanceof String text)) {
            throw RefusedException.invalid("request lacks a string: member=" + name);
        }
        return text;
    }

    private static List<String> list(Map<String, ? extends @Nullable Object> request, String name) {
        List<String> texts = new ArrayList<>();
        Object value = request.get(name);
        if (value instanceof List<?> members) {
            members.forEach(member -> texts.add(String.valueOf(member)));
        } else if (value != null) {
            throw RefusedException.invalid("not a list: member=" + name);
        }
        return texts;
    }

    private static Map<String, String> texts(@Nullable Object value) {
        Map<String, String> texts = new HashMap<>();
        if (value instanceof Map<?, ?> members) {
            members.forEach((name, text) -> texts.put(String.valueOf(name), String.valueOf(text)));
        } else if (value != null) {
            throw RefusedException.invalid("not an object: member=" + ATTRIBUTES);
        }
        return texts;
    }

    private static Map<String, Object> members(Source source) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("id", source.id());
        members.put(NAME, source.name());
        members.put(FORMAT, source.format().text());
        members.put(ATTRIBUTES, source.attributes());
        return members;
    }

    private static Map<String, Object> members(IndexEntry index) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("id", index.id());
        members.put(NAME, index.name());
        members.put("function", index.function());
        members.put(BINS, index.bins());
        members.put("existed", index.existed());
        return members;
    }

    /** Reads the source from an answer; null if there is none. */
    @SuppressWarnings("unchecked") // as members() writes it
    public static @Nullable Source sourceOf(Map<String, ? extends @Nullable Object> answer) {
        if (!(answer.get(SOURCE) instanceof Map<?, ?> found)) {
            return null;
        }
        Map<String, Object> members = (Map<String, Object>) found;
        return new Source(
                Integer.parseInt(text(members, "id")),
                text(members, NAME),
                Formats.parse(text(members, FORMAT)),
                false,
                texts(members.get(ATTRIBUTES)));
    }

    /** Reads the index from an answer. */
    @SuppressWarnings("unchecked") // as members() writes it
    public static IndexEntry indexOf(Map<String, ? extends @Nullable Object> answer) {
        Map<String, Object> members = (Map<String, Object>) Objects.requireNonNull(answer.get(INDEX));
        return new IndexEntry(
                Integer.parseInt(text(members, "id")),
                text(members, NAME),
                text(members, "function"),
                text(members, BINS),
                Boolean.TRUE.equals(members.get("existed")));
    }
}
