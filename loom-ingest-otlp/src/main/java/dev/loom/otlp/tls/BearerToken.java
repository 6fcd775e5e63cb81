package dev.loom.otlp.tls;

import dev.loom.otlp.file.FileFailure;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The token that requests must carry, kept as a digest. Thread-safe. */
final class BearerToken {
    private static final String SCHEME = "Bearer ";
    private static final Set<PosixFilePermission> OTHERS = EnumSet.complementOf(EnumSet.of(
            PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE));

    private static final int ROOT = 0;

    private final byte[] digest;

    private BearerToken(byte[] digest) {
        this.digest = digest;
    }

    /**
     * Reads a token: the file's text without surrounding white space. A symbolic link is followed, and the group may read what root owns: so
     * Kubernetes mounts secrets.
     *
     * @throws IOException if the file can't be read, is accessible to others, or holds no token
     */
    static BearerToken read(Path file) throws IOException {
        String token;
        try {
            Path real = file.toRealPath(); // once, as the link may change meanwhile
            requirePrivate(real);
            token = Files.readString(real).strip();
        } catch (FileSystemException | CharacterCodingException e) {
            throw FileFailure.of("can't read the token", file, e);
        }
        if (token.isEmpty() || token.chars().anyMatch(c -> c <= ' ' || c > '~')) {
            throw new IOException("token file must hold one line of printable ASCII: file=" + file);
        }
        return new BearerToken(sha256(token));
    }

    private static void requirePrivate(Path file) throws IOException {
        PosixFileAttributes attributes = Files.readAttributes(file, PosixFileAttributes.class);
        Set<PosixFilePermission> excess = excess(
                attributes.permissions(), Files.getAttribute(file, "unix:uid").equals(ROOT));
        if (!attributes.isRegularFile() || !excess.isEmpty()) {
            throw new IOException(
                    "token file must be a regular file that its owner alone can read, or its group too if root owns it: file="
                            + file + ", regular=" + attributes.isRegularFile() + ", excess=" + excess);
        }
    }

    /** The permissions that a token's file must not grant. */
    static Set<PosixFilePermission> excess(Set<PosixFilePermission> granted, boolean ofRoot) {
        Set<PosixFilePermission> excess = EnumSet.copyOf(OTHERS);
        excess.retainAll(granted);
        if (ofRoot) {
            excess.remove(PosixFilePermission.GROUP_READ);
        }
        return excess;
    }

    /** Whether this {@code Authorization} header carries the token; takes the same time for any value. */
    boolean isIn(@Nullable String authorization) {
        return authorization != null
                && authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
                && is(authorization.substring(SCHEME.length()).strip());
    }

    /** Whether this text is the token; takes the same time for any text. */
    boolean is(String offered) {
        return MessageDigest.isEqual(digest, sha256(offered));
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java platform has it
        }
    }
}
