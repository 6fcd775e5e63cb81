package dev.loom.cli;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * A capture of a Redis server on one machine: requests as the client saw them, the server's system calls, the packets
 * between them. A slice of 100 ms around one slow request is kept here; {@code -Dloom.data=DIR} points to a whole one.
 */
public final class RedisCapture {
    private static final @Nullable String WHOLE = System.getProperty("loom.data");

    private RedisCapture() {}

    /** A file of the slice. */
    public static Path slice(String name) {
        try {
            return Path.of(Objects.requireNonNull(RedisCapture.class.getResource("/redis/" + name))
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A file of the capture that is tested: the whole one if there is one, else the slice; plain, or compressed. */
    public static Path file(String name) {
        if (WHOLE == null) {
            return slice(name);
        }
        Path plain = Path.of(WHOLE, name);
        return Files.exists(plain) ? plain : Path.of(WHOLE, name + ".gz");
    }

    /** The bytes of a file of the capture that is tested, uncompressed. */
    public static byte[] bytes(String name) {
        Path file = file(name);
        try {
            byte[] bytes = Files.readAllBytes(file);
            if (!file.toString().endsWith(".gz")) {
                return bytes;
            }
            try (GZIPInputStream stream = new GZIPInputStream(new ByteArrayInputStream(bytes))) {
                return stream.readAllBytes();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
