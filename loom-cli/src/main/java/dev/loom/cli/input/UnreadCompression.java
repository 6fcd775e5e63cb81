package dev.loom.cli.input;

import java.io.IOException;
import java.util.Locale;
import java.util.Optional;

/** Compressions that inputs may have, but which are not read. */
public enum UnreadCompression {
    ZSTD("zstdcat", "(\u00B5/\u00FD"),
    XZ("xzcat", "\u00FD7zXZ\0"),
    /** The size of its blocks is a digit in the middle, and then the first block begins. */
    BZIP2("bzcat", "BZh?1AY&SY"),
    ZIP("unzip -p", "PK\u0003\u0004"),
    LZ4("lz4 -dc", "\u0004\"M\u0018");

    private static final char DIGIT = '?';

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
        boolean begins = true;
        // byte by byte, since a live input may not have more yet
        for (int i = 0; i < magic.length() && begins; i++) {
            begins = window.require(i + 1) && is(magic.charAt(i), window.at(i) & 0xFF);
        }
        return begins;
    }

    private static boolean is(char expected, int found) {
        return expected == DIGIT ? found >= '1' && found <= '9' : found == expected;
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
