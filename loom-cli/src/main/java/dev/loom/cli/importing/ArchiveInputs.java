package dev.loom.cli.importing;

import dev.loom.cli.archive.ArchiveReader;
import dev.loom.cli.archive.ArchiveSchema;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.input.InputWindow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The open archives of an import. For one thread. */
final class ArchiveInputs implements AutoCloseable {
    /** Opens an input. */
    interface Opener {
        InputWindow open(String file) throws IOException;
    }

    private final Console console;
    private final List<String> files = new ArrayList<>();
    private final List<ArchiveReader> archives = new ArrayList<>();
    private long length;

    ArchiveInputs(Console console) {
        this.console = console;
    }

    /** Opens an archive, and reads its schema. */
    void open(String file, Opener opener) throws IOException {
        InputWindow window = opener.open(file);
        try {
            archives.add(new ArchiveReader(file, window, console.interruption()));
            files.add(file);
        } catch (IOException | RuntimeException | Error e) {
            window.close();
            throw e;
        }
        Path path = Path.of(file);
        length += Files.isRegularFile(path) && !InputFiles.compressed(path) ? Files.size(path) : 0;
    }

    /** Imports them; returns the exit code. */
    int importInto(Path directory, List<String> prefixes, boolean byHost) throws IOException {
        return new ArchiveImport(console, directory, files, archives, prefixes(prefixes, byHost)).run(this::share);
    }

    /** The share that has been read; NaN if an archive is compressed or its length unknown. */
    private double share() {
        long read = archives.stream().mapToLong(ArchiveReader::consumedBytes).sum();
        return length == 0 ? Double.NaN : Math.min(1, (double) read / length);
    }

    private List<String> prefixes(List<String> given, boolean byHost) {
        if (byHost && !given.isEmpty()) {
            throw CommandFailure.usage("--prefix and --by-host are mutually exclusive");
        } else if (given.size() > 1 && given.size() != archives.size()) {
            throw CommandFailure.usage("--prefix is given once, or once for each archive: prefixes=" + given.size()
                    + ", archives=" + archives.size());
        } else if (byHost) {
            requireOneStoreAHost();
            return archives.stream()
                    .map(archive -> archive.schema().host() + '.')
                    .toList();
        } else if (given.isEmpty()) {
            return Collections.nCopies(archives.size(), "");
        }
        List<String> each = given.size() == 1 ? Collections.nCopies(archives.size(), given.get(0)) : given;
        return each.stream().map(prefix -> prefix + '.').toList();
    }

    /** Machines that were cloned, or two stores of one, would become one without a way to tell their records apart. */
    private void requireOneStoreAHost() {
        Map<String, Integer> firsts = new HashMap<>();
        for (int i = 0; i < archives.size(); i++) {
            ArchiveSchema schema = archives.get(i).schema();
            Integer other = firsts.putIfAbsent(schema.host(), i);
            if (other != null && archives.get(other).schema().storeId() != schema.storeId()) {
                throw CommandFailure.usage(
                        "two stores have one host: host=" + schema.host() + ", archives=" + files.get(other) + ", "
                                + files.get(i) + "; --prefix, once for each archive, keeps them apart");
            }
        }
    }

    @Override
    public void close() {
        archives.forEach(ArchiveReader::close);
    }
}
