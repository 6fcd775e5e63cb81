package dev.loom.server.page;

import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.HttpApi;
import dev.loom.server.http.HttpCall;
import dev.loom.server.http.Load;
import dev.loom.server.http.Route;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Sends the files of the page: {@code GET /} and what it refers to. They hold nothing of the store, so they need no token; what
 * they show, they ask of the API as any client does. Usable from any thread.
 */
public final class PageApi implements HttpApi {
    private static final String ROOT = "/";
    private static final String FOLDER = "/page/";
    private static final String INDEX = "index.html";

    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html;charset=utf-8",
            "js", "text/javascript;charset=utf-8",
            "css", "text/css;charset=utf-8",
            "svg", "image/svg+xml",
            "LICENSE", "text/plain;charset=utf-8");

    /** Nothing may be loaded from elsewhere, and no text of a record can become a script. */
    private static final String CONTENT_SECURITY_POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; "
            + "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    /** All files but the first. */
    private static final Set<String> FILES = Set.of(
            "page.css",
            "icon.svg",
            "api.js",
            "chart.js",
            "command.js",
            "correlate.js",
            "difference.js",
            "explore.js",
            "format.js",
            "groups.js",
            "heatmap.js",
            "main.js",
            "overview.js",
            "parts.js",
            "records.js",
            "search.js",
            "state.js",
            "trace.js",
            "vendor/htm-preact.js",
            "vendor/htm.LICENSE",
            "vendor/preact.LICENSE",
            "vendor/uPlot.LICENSE",
            "vendor/uPlot.iife.min.js",
            "vendor/uPlot.min.css");

    private final Map<String, PageFile> files = new ConcurrentHashMap<>();
    private final Runnable onOpened;

    /** @param onOpened is called when somebody opens the page; must return at once */
    public PageApi(Runnable onOpened) {
        this.onOpened = onOpened;
    }

    /** The paths of all files. */
    public static Set<String> paths() {
        return Stream.concat(Stream.of(ROOT), FILES.stream().map(FOLDER::concat))
                .collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public Set<String> names() {
        return Set.of("page");
    }

    @Override
    public @Nullable Route route(String method, String path) {
        String name = path.equals(ROOT) ? INDEX : path.startsWith(FOLDER) ? path.substring(FOLDER.length()) : "";
        if (!name.equals(INDEX) && !FILES.contains(name)) {
            return null;
        }
        if (!method.equals("GET") && !method.equals("HEAD")) {
            throw ApiFailure.method("GET", method);
        }
        if (name.equals(INDEX)) {
            onOpened.run();
        }
        return files.computeIfAbsent(name, PageFile::new);
    }

    @Override
    public boolean reads(String type) {
        return type.isEmpty();
    }

    @Override
    public Reply failure(ApiFailure failure) {
        return new Reply("text/plain;charset=utf-8", failure.getMessage() + "\n");
    }

    /** One file. */
    private static final class PageFile implements Route {
        private final String type;
        private final byte[] bytes;
        private final String tag;

        PageFile(String name) {
            type = Objects.requireNonNull(TYPES.get(name.substring(name.lastIndexOf('.') + 1)));
            try (InputStream in = Objects.requireNonNull(PageApi.class.getResourceAsStream(name), name)) {
                bytes = in.readAllBytes();
                tag = '"'
                        + HexFormat.of()
                                .formatHex(MessageDigest.getInstance("SHA-256").digest(bytes), 0, 16)
                        + '"';
            } catch (IOException | NoSuchAlgorithmException e) {
                throw new IllegalStateException("page file can't be read: name=" + name, e);
            }
        }

        @Override
        public String name() {
            return "page";
        }

        @Override
        public Load load(HttpCall call) {
            return Load.LOOKUP;
        }

        @Override
        public void answer(HttpCall call) {
            call.answerHeader("Cache-Control", "no-cache");
            call.answerHeader("ETag", tag);
            call.answerHeader("Content-Security-Policy", CONTENT_SECURITY_POLICY);
            call.answerHeader("X-Content-Type-Options", "nosniff");
            call.answerHeader("Referrer-Policy", "no-referrer");
            call.answerHeader("Cross-Origin-Resource-Policy", "same-origin");
            if (tag.equals(call.header("If-None-Match"))) {
                call.answer(304, type, new byte[0]);
            } else {
                call.answer(200, type, bytes);
            }
        }
    }
}
