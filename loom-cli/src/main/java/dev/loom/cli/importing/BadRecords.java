package dev.loom.cli.importing;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Handles records that do not parse: reports and counts them, and optionally writes them to a file. */
final class BadRecords {
    private static final int TOLD_MAX = 10;

    private final boolean stop;
    private final @Nullable OutputStream rejects;
    private final Consumer<String> tell;
    private long count;
    private long cut;
    private String last = "";

    /**
     * Starts with a count of zero.
     *
     * @param stop whether the first bad record ends the import
     * @param rejects takes each bad record as it stood in the input
     */
    BadRecords(boolean stop, @Nullable OutputStream rejects, Consumer<String> tell) {
        this.stop = stop;
        this.rejects = rejects;
        this.tell = tell;
    }

    /** Handles one bad record; false if the import must stop. */
    boolean add(RecordInput input, String problem) throws IOException {
        count++;
        if (count <= TOLD_MAX) {
            tell.accept(input.position() + ": " + problem);
        } else if (count == TOLD_MAX + 1) {
            tell.accept("further records that do not parse are counted; the end of the import names the last");
        }
        last = input.position();
        if (rejects != null) {
            rejects.write(input.rawBytes());
            cut += input.cut() ? 1 : 0;
        }
        return !stop;
    }

    /** Writes out what the file of rejected records has taken. */
    void flush() {
        if (rejects != null) {
            try {
                rejects.flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    long count() {
        return count;
    }

    /** Where the last one is if it was not reported; else empty. */
    String lastUnreported() {
        return count > TOLD_MAX ? last : "";
    }

    /** Of how many only a part was written to the file. */
    long cut() {
        return cut;
    }
}
