package dev.loom.bench.search;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** A log, questions about it, and the sides that are asked them in turn. */
public final class SearchComparison implements AutoCloseable {
    private static final int WRITE_LENGTH = 1 << 20;

    private final Path log;
    private final long lines;
    private final List<QuestionClass> classes;
    private final AnswerTally tally;
    private final Sides sides;

    /**
     * Writes the log, unless a run before with the same arguments has left it, and starts the sides.
     *
     * @param logs the folder of the real logs
     * @param bytes the log's length, at least
     * @param words of a class
     */
    public SearchComparison(Path logs, long bytes, int words, long seed, List<Sides.Name> names, Sides.Places places)
            throws IOException {
        final LogCorpus corpus = LogCorpus.read(logs);
        final LogReplica replica = new LogReplica(corpus, seed);
        log = places.scratch().resolve("replica.log");
        lines = replica.linesOf(bytes);
        classes = new QuestionChoice(corpus, replica, lines, words, seed).choose();
        tally = new AnswerTally(corpus, replica, classes);
        final boolean written = Files.exists(log);
        final Path target = log.resolveSibling("replica.part");
        try (OutputStream out = new BufferedOutputStream(
                written ? OutputStream.nullOutputStream() : Files.newOutputStream(target), WRITE_LENGTH)) {
            replica.write(lines, out, tally);
        }
        if (!written) {
            StoredFiles.force(target);
            Files.move(target, log);
        }
        sides = new Sides(names, places, log);
    }

    /** How many lines the log has. */
    public long lines() {
        return lines;
    }

    /** How many bytes the log has. */
    public long bytes() throws IOException {
        return Files.size(log);
    }

    public List<SearchSide> sides() {
        return sides.all();
    }

    /** The classes of questions. */
    public List<QuestionClass> classes() {
        return classes;
    }

    /** The log, in the page cache. */
    public Path log() {
        return log;
    }

    /** The fewest and the most lines that answer a question of a class. */
    public String lines(QuestionClass of) {
        final var counts = of.questions().stream().mapToLong(tally::lines).summaryStatistics();
        return counts.getMin() + " to " + counts.getMax();
    }

    /** Takes the log in, and has it written to the disk; or tells what that took in a run before. */
    public Ingest ingest(SearchSide side) throws IOException {
        final Path note = side.files().resolveSibling(side.files().getFileName() + ".note");
        if (Files.exists(note)) {
            return Ingest.read(note);
        }
        final Ingest ingest = side.ingest(log);
        StoredFiles.force(side.files());
        ingest.write(note);
        return ingest;
    }

    /** What a side stores: the bytes of each part of it, the largest first. */
    public Map<String, Long> stored(SearchSide side) throws IOException {
        final Map<String, Long> sorted = new LinkedHashMap<>();
        StoredFiles.bytes(side.files(), !(side instanceof LoomSide)).entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .forEach(part -> sorted.put(part.getKey(), part.getValue()));
        return sorted;
    }

    /** Times of one side for one class, from the page cache. */
    public Latencies warm(SearchSide side, QuestionClass of, int repetitions, long limitNs) throws IOException {
        return new SideRun(side, tally, limitNs).warm(of.questions(), repetitions);
    }

    /** Times of one side for one class, from the disk. */
    public Latencies cold(SearchSide side, QuestionClass of, int repetitions, long limitNs) throws IOException {
        return new SideRun(side, tally, limitNs).cold(of.questions(), repetitions);
    }

    /**
     * How near a side's estimates of counts by time come to its exact counts, which are checked, by round. The files are in the page cache as
     * far as a turn of first estimates has read them, which is not counted.
     *
     * @return none if the side does not estimate
     */
    public SortedMap<Integer, EstimateErrors> estimates(SearchSide side, QuestionClass of) throws IOException {
        side.open();
        of.questions().forEach(question -> side.estimate(question, false));
        final SortedMap<Integer, EstimateErrors> errors = new TreeMap<>();
        for (SearchQuestion question : of.questions()) {
            final List<CountRound> rounds = side.estimate(question, true);
            if (!rounds.isEmpty()) {
                final CountRound last = rounds.get(rounds.size() - 1);
                new Answer(last.elapsedNs(), last.counts().count(), List.of())
                        .check(side.name(), question, tally.expected(question));
                for (CountRound round : rounds) {
                    errors.computeIfAbsent(round.counts().round(), number -> new EstimateErrors())
                            .add(round, last.counts());
                }
            }
        }
        side.release();
        return errors;
    }

    @Override
    public void close() throws IOException {
        sides.close();
    }
}
