package dev.loom.cli.importing;

import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.console.StandardInput;
import dev.loom.otlp.file.FileFailure;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** The file that takes an import's records that don't parse. It keeps what it has until there is a store to import into. */
final class RejectsFile {
    private RejectsFile() {}

    /**
     * Checks, without changing a file that exists, that the file can be written.
     *
     * @throws CommandFailure if it can't, or if it is one of the inputs
     */
    static void requireWritable(Path file, List<String> inputs) {
        try {
            for (String input : inputs) {
                Path path = Path.of(input.equals(StandardInput.NAME) ? "/dev/stdin" : input);
                if (Files.exists(file) && Files.exists(path) && Files.isSameFile(file, path)) {
                    throw CommandFailure.usage("--rejects is an input, which it would overwrite: file=" + file);
                }
            }
            if (!Files.exists(file) || Files.isRegularFile(file)) {
                Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)
                        .close();
            }
        } catch (IOException e) {
            throw failure(file, e);
        }
    }

    /** Opens the file, empty. */
    static OutputStream open(Path file) {
        try {
            return new Rows(Files.newOutputStream(file));
        } catch (IOException e) {
            throw failure(file, e);
        }
    }

    /** Ends a row before the next one: the last of an input may be without its line end. */
    private static final class Rows extends BufferedOutputStream {
        private boolean rowOpen;

        private Rows(OutputStream file) {
            super(file);
        }

        @Override
        public void write(byte[] row) throws IOException {
            if (row.length > 0) {
                if (rowOpen) {
                    write('\n');
                }
                write(row, 0, row.length);
                rowOpen = row[row.length - 1] != '\n';
            }
        }
    }

    private static CommandFailure failure(Path file, IOException e) {
        return new CommandFailure(ExitCode.USAGE, FileFailure.message("can't write the rejects", file, e), e);
    }
}
