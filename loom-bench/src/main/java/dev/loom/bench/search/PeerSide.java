package dev.loom.bench.search;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** An engine in a process of its own, with one of its settings. Sides that differ in their setting alone share the process. */
final class PeerSide implements SearchSide {
    private final String name;
    private final PeerProcess process;
    private final Path files;
    private final String setting;
    private final boolean shared;

    /**
     * Uses a process.
     *
     * @param setting as the program understands it
     * @param shared whether another side takes in the log, and ends the process
     */
    PeerSide(String name, PeerProcess process, Path files, String setting, boolean shared) {
        this.name = name;
        this.process = process;
        this.files = files;
        this.setting = setting;
        this.shared = shared;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String description() {
        try {
            return process.request("version").get(0);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean takesIn() {
        return !shared;
    }

    @Override
    public Ingest ingest(Path log) throws IOException {
        final List<String> values = process.request("load", log.toAbsolutePath().toString());
        return new Ingest(Long.parseLong(values.get(0)), Long.parseLong(values.get(1)), Long.parseLong(values.get(2)));
    }

    @Override
    public Path files() {
        return files;
    }

    @Override
    public void open() throws IOException {
        process.request("open");
    }

    @Override
    public void release() throws IOException {
        process.request("release");
    }

    @Override
    public long cpuNs() {
        try {
            return Long.parseLong(process.request("cpu").get(0));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public Answer ask(SearchQuestion question) throws IOException {
        final List<String> parts =
                new ArrayList<>(List.of("ask", setting, question.kind().name()));
        parts.addAll(question.words());
        final List<String> values = process.request(parts.toArray(String[]::new));
        final String ids = values.get(2);
        return new Answer(
                Long.parseLong(values.get(0)),
                Long.parseLong(values.get(1)),
                ids.isEmpty() ? List.of() : List.of(ids.split(",")));
    }

    @Override
    public void close() {
        if (!shared) {
            process.close();
        }
    }
}
