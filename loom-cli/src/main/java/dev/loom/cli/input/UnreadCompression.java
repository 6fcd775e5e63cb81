package dev.loom.cli.input;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

/** Compressions that inputs may have, but which are not read. */
public enum UnreadCompression {
    ZSTD("zstdcat", "(\u00B5/\u00FD"),
    XZ("xzcat", "\u00FD7zXZ\0"),
    /** A digit follows, the size of its blocks. */
    BZIP2("bzcat", "BZh");

    private final String command;
    private final String magic;

    UnreadCompression(String command, String magic) {
        this.command = command;
        this.magic = magic;
    }

    /** The one whose first bytes the input has. */
    public static Optional<UnreadCompression> of(InputWindow window) throws IOException {
        for (UnreadCompression compression : values()) {
            if (compression.begins(window)) {
                return Optional.of(compression);
            }
        }
        return Optional.empty();
    }

    private boolean begins(InputWindow window) throws IOException {
        return window.begins(magic.getBytes(StandardCharsets.ISO_8859_1))
                && (this != BZIP2 || (window.require(4) && window.at(3) >= '1' && window.at(3) <= '9'));
    }

    /** The command that decompresses a file to its output. */
    public String command() {
        return command;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
