package dev.loom.bench.search;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The lines of real logs, file by file, and their words. Of ASCII alone: other bytes are read as question marks. */
final class LogCorpus {
    /** A word as Loom, the Lucene side and {@code grep -w} see it. */
    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9_]+");

    /** A word as ClickHouse's {@code hasToken} sees it. */
    private static final Pattern PLAIN_WORD = Pattern.compile("[A-Za-z0-9]+");

    private final List<List<String>> files;

    private LogCorpus(List<List<String>> files) {
        this.files = files;
    }

    /** Reads the files {@code *.log} of a directory, in the order of their names. */
    static LogCorpus read(Path directory) throws IOException {
        final List<List<String>> files = new ArrayList<>();
        try (Stream<Path> paths = Files.list(directory)) {
            for (Path path : paths.filter(each -> each.toString().endsWith(".log"))
                    .sorted()
                    .toList()) {
                files.add(Files.readString(path, StandardCharsets.ISO_8859_1)
                        .lines()
                        .map(line -> line.replaceAll("[^\\x20-\\x7e]", "?"))
                        .toList());
            }
        }
        return of(files);
    }

    static LogCorpus of(List<List<String>> files) {
        if (files.isEmpty() || files.stream().anyMatch(List::isEmpty)) {
            throw new IllegalArgumentException("no lines to replicate: files=" + files.size());
        }
        return new LogCorpus(files.stream().map(List::copyOf).toList());
    }

    int files() {
        return files.size();
    }

    List<String> lines(int file) {
        return files.get(file);
    }

    /** The number of a line among those of all files. */
    int number(int file, int line) {
        int number = line;
        for (int before = 0; before < file; before++) {
            number += files.get(before).size();
        }
        return number;
    }

    /** All lines, by their number. */
    List<String> all() {
        return files.stream().flatMap(List::stream).toList();
    }

    /** The different words of a line, folded. */
    static Set<String> words(String line) {
        final Set<String> words = new LinkedHashSet<>();
        WORD.matcher(line).results().map(MatchResult::group).forEach(word -> words.add(word.toLowerCase(Locale.ROOT)));
        return words;
    }

    /**
     * How often each word occurs that is the same word to all engines: always written in one way, and never beside an underscore.
     *
     * @return by the way it is written, the share of lines that have it if each file gives as many
     */
    Map<String, Double> shares() {
        final Map<String, Double> folded = new LinkedHashMap<>();
        final Map<String, Double> plain = new LinkedHashMap<>();
        for (List<String> lines : files) {
            final double share = 1.0 / files.size() / lines.size();
            for (String line : lines) {
                words(line).forEach(word -> folded.merge(word, share, Double::sum));
                PLAIN_WORD
                        .matcher(line)
                        .results()
                        .map(MatchResult::group)
                        .distinct()
                        .forEach(word -> plain.merge(word, share, Double::sum));
            }
        }
        plain.entrySet().removeIf(word -> {
            final double all = folded.getOrDefault(word.getKey().toLowerCase(Locale.ROOT), 0.0);
            return Math.abs(all - word.getValue()) > share() / 2;
        });
        return plain;
    }

    /** The share of one line. */
    private double share() {
        final int longest = files.stream().mapToInt(List::size).max().orElseThrow();
        return 1.0 / files.size() / longest;
    }
}
