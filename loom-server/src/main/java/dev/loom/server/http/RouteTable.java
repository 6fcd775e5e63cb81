package dev.loom.server.http;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The routes whose paths have a common beginning, all for the same methods. Usable from any thread once all routes were added. */
public final class RouteTable {
    private static final char ANY = '*';

    private final String beginning;
    private final List<String> methods;
    private final List<Entry> entries = new ArrayList<>();

    /**
     * Begins a table.
     *
     * @param beginning of the paths; all that begin so are of this table
     * @param methods of all routes
     */
    public RouteTable(String beginning, String... methods) {
        this.beginning = beginning;
        this.methods = List.of(methods);
    }

    /** Answers requests. */
    public interface Answer {
        /**
         * Answers a request.
         *
         * @param part the part of the path that stands for {@code *}; empty if its path has none
         */
        void to(HttpCall call, String part) throws IOException;
    }

    /**
     * Adds a route. Where several match a path, the first one added is taken.
     *
     * @param name of its requests in the metrics
     * @param path what follows the beginning, with at most one {@code *} for any name, which has no slash
     */
    public RouteTable add(String name, Load load, String path, Answer answer) {
        int any = path.indexOf(ANY);
        entries.add(
                any < 0
                        ? new Entry(name, load, path, null, answer)
                        : new Entry(name, load, path.substring(0, any), path.substring(any + 1), answer));
        return this;
    }

    /** The names of all routes. */
    public Set<String> names() {
        return entries.stream().map(Entry::name).collect(Collectors.toUnmodifiableSet());
    }

    /**
     * The route of a path; null if the path does not begin as those of this table.
     *
     * @throws ApiFailure if there is none, or none for this method
     */
    public @Nullable Route find(String method, String path) {
        if (!path.startsWith(beginning)) {
            return null;
        }
        String rest = path.substring(beginning.length());
        for (Entry entry : entries) {
            String part = entry.part(rest);
            if (part != null) {
                if (!methods.contains(method)) {
                    throw ApiFailure.method(String.join(" or ", methods), method);
                }
                return new PathRoute(entry, part);
            }
        }
        throw ApiFailure.notFound("no such path: " + path);
    }

    /** @param after what follows any name; null if {@code before} is the whole path */
    private record Entry(
            String name, Load load, String before, @Nullable String after, Answer answer) {
        /** The part of a path that may be any name; null if the path is another one. */
        @Nullable
        String part(String path) {
            if (after == null) {
                return path.equals(before) ? "" : null;
            }
            int end = path.length() - after.length();
            if (end <= before.length() || !path.startsWith(before) || !path.endsWith(after)) {
                return null;
            }
            String part = path.substring(before.length(), end);
            return part.indexOf('/') < 0 ? part : null;
        }
    }

    private record PathRoute(Entry entry, String part) implements Route {
        @Override
        public String name() {
            return entry.name();
        }

        @Override
        public Load load(HttpCall call) {
            return entry.load();
        }

        @Override
        public void answer(HttpCall call) throws IOException {
            entry.answer().to(call, part);
        }
    }
}
