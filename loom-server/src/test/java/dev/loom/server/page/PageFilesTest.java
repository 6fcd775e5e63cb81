package dev.loom.server.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The files of the page as they are in the archive. */
final class PageFilesTest {
    private static final int OWN_BYTES_MAX = 150_000;
    private static final String VENDOR = "vendor/";

    /**
     * SHA-256 of the files as published: uPlot 1.6.32 (package sha512-KIMVnG68zvu5XXUbC4LQEPnhwOxBuLyW1AHtpm6IKTXImkbLgkMy+jabjLgSLMasNuGGzQm/ep3tOkyTxpiQIw==)
     * and htm 3.1.1 (sha512-983Vyg8NwUE7JkZ6NmOqpCZ+sh1bKv2iYTlUkzlWmA5JD2acKoxd4KVxbMmxX/85mtfdnDmTFoNKcg5DGAvxNQ==) with Preact inside.
     */
    private static final Map<String, String> PUBLISHED = Map.of(
            "vendor/htm-preact.js", "72284e8e9079c87817145df1110f74e8a2aa040b2fc384922e18dfcb46fc1fd7",
            "vendor/uPlot.iife.min.js", "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
            "vendor/uPlot.min.css", "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
            "vendor/htm.LICENSE", "740725f7252e750af735d0028cc534970772f513331e9f68150fede8fb3ce00f",
            "vendor/uPlot.LICENSE", "8f989229699b4fe2f1a0432d0e9edc338a8a911e250e2d1b01ecd770a5f5b1bd");

    private static Path folder() throws URISyntaxException {
        return Path.of(Objects.requireNonNull(PageApi.class.getResource("index.html"))
                        .toURI())
                .getParent();
    }

    private static Set<String> files() throws IOException, URISyntaxException {
        Path folder = folder();
        try (Stream<Path> files = Files.walk(folder)) {
            Set<String> names = new TreeSet<>();
            files.filter(Files::isRegularFile)
                    .map(file -> folder.relativize(file).toString().replace('\\', '/'))
                    .filter(name -> !name.endsWith(".class"))
                    .forEach(names::add);
            return names;
        }
    }

    @Test
    void shouldServeEveryFileThatIsThere() throws Exception {
        Set<String> paths = new TreeSet<>();
        files().forEach(name -> paths.add(name.equals("index.html") ? "/" : "/page/" + name));
        assertEquals(paths, new TreeSet<>(PageApi.paths()));
    }

    @Test
    void shouldHaveLibrariesAsTheyWerePublished() throws Exception {
        for (Map.Entry<String, String> published : PUBLISHED.entrySet()) {
            byte[] bytes = Files.readAllBytes(folder().resolve(published.getKey()));
            assertEquals(
                    published.getValue(),
                    HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(bytes)),
                    published.getKey());
        }
    }

    @Test
    void shouldStaySmall() throws Exception {
        long own = 0;
        for (String name : files()) {
            own += name.startsWith(VENDOR) ? 0 : Files.size(folder().resolve(name));
        }
        assertTrue(own < OWN_BYTES_MAX, "bytes=" + own);
    }

    @Test
    void shouldReferToNothingElsewhere() throws Exception {
        Pattern import_ = Pattern.compile("from '\\./([^']+)'");
        for (String name : files()) {
            if (name.startsWith(VENDOR)) {
                continue;
            }
            String text = Files.readString(folder().resolve(name));
            assertFalse(text.replace("http://www.w3.org/2000/svg", "").contains("://"), name);
            Matcher imported = import_.matcher(text);
            while (imported.find()) {
                assertTrue(Files.exists(folder().resolve(imported.group(1))), name + " imports " + imported.group(1));
            }
        }
        String index = Files.readString(folder().resolve("index.html"));
        for (String name : files()) {
            // what is not named here is asked for late, one round trip after the other
            boolean isEarly = name.endsWith(".js") || name.endsWith(".css");
            assertTrue(!isEarly || index.contains("page/" + name + '"'), name);
        }
    }
}
