package dev.loom.bench.search;

import dev.loom.bench.search.QuestionClass.Table;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Chooses questions by the frequency of their words, as the paper's section 5.2.3 does: words that at least a tenth of the lines
 * have, words that at most 1e-5 of them have, and words that none has. All engines see the chosen words as the same words.
 */
final class QuestionChoice {
    private static final double FREQUENT = 0.1;

    /** The least share of lines that both words of a pair of frequent words have together. */
    private static final double TOGETHER = 0.01;

    private static final int PREFIX_LENGTH_MIN = 3;

    /** Hardly two ids share a prefix of this length. */
    private static final int ID_PREFIX_LENGTH = 10;

    private static final String HEX_DIGITS = "[0-9a-fA-F]+";

    private final LogCorpus corpus;
    private final LogReplica replica;
    private final long lines;
    private final int count;
    private final Random random;
    private final Set<String> known = new HashSet<>();
    private final Map<String, Double> shares;

    /** @param count how many words a class has; fewer if the log has no more */
    QuestionChoice(LogCorpus corpus, LogReplica replica, long lines, int count, long seed) {
        this.corpus = corpus;
        this.replica = replica;
        this.lines = lines;
        this.count = count;
        random = new Random(seed);
        shares = new LinkedHashMap<>(corpus.shares());
        corpus.all().forEach(line -> known.addAll(LogCorpus.words(line)));
        for (int host = 0; host < LogReplica.HOSTS; host++) {
            if (!known.add(LogReplica.host(host))) {
                throw new IllegalArgumentException("the logs have the name of a host: name=" + LogReplica.host(host));
            }
            shares.put(LogReplica.host(host), 1.0 / LogReplica.HOSTS);
        }
        // what begins with a digit may be part of a time
        shares.keySet().removeIf(word -> Character.isDigit(word.charAt(0)));
    }

    List<QuestionClass> choose() {
        final List<String> high = highWords();
        final List<long[]> rare = IntStream.range(0, count)
                .mapToObj(i -> new long[] {random.nextLong(lines), random.nextLong(lines)})
                .toList();
        // half of them ids, which one line has; half of them times
        final List<String> low = IntStream.range(0, count)
                .mapToObj(i -> i % 2 == 0 ? id(rare.get(i)[0]) : micros(rare.get(i)[0]))
                .toList();
        final List<SearchQuestion> lowAndLow = IntStream.range(0, count)
                .mapToObj(i -> i % 2 == 0
                        ? SearchQuestion.words(id(rare.get(i)[0]), micros(rare.get(i)[0]))
                        : SearchQuestion.words(micros(rare.get(i)[0]), micros(rare.get(i)[1])))
                .toList();
        final List<SearchQuestion> lowAndHigh = IntStream.range(0, count)
                .mapToObj(i -> SearchQuestion.words(low.get(i), high.get(i % high.size())))
                .toList();
        final List<String> idPrefixes = rare.stream()
                .map(each -> unknown(() -> id(each[0]).substring(0, ID_PREFIX_LENGTH), this::beginsNone))
                .toList();
        return List.of(
                new QuestionClass(Table.FULL_TEXT, "low", words(low)),
                new QuestionClass(Table.FULL_TEXT, "high", words(high)),
                new QuestionClass(Table.FULL_TEXT, "absent", words(absent())),
                new QuestionClass(Table.PREFIX, "low", prefixes(idPrefixes)),
                new QuestionClass(Table.PREFIX, "high", prefixes(highPrefixes())),
                new QuestionClass(
                        Table.PREFIX,
                        "absent",
                        prefixes(Stream.generate(() -> unknown(() -> letters(6), this::beginsNone))
                                .limit(count)
                                .toList())),
                new QuestionClass(Table.AND, "low, low", lowAndLow),
                new QuestionClass(Table.AND, "low, high", lowAndHigh),
                new QuestionClass(Table.AND, "high, high", highPairs(high)),
                new QuestionClass(
                        Table.HISTOGRAM,
                        "high",
                        high.stream().map(SearchQuestion::count).toList()));
    }

    private static List<SearchQuestion> words(List<String> words) {
        return words.stream().map(SearchQuestion::words).toList();
    }

    private static List<SearchQuestion> prefixes(List<String> prefixes) {
        return prefixes.stream().map(SearchQuestion::prefix).toList();
    }

    private String id(long line) {
        return unknown(() -> replica.id(line), word -> !known.contains(word));
    }

    private String micros(long line) {
        return unknown(() -> replica.microsWord(line), word -> !known.contains(word.toLowerCase(Locale.ROOT)));
    }

    /** Ids that no line has, and words of letters. */
    private List<String> absent() {
        return IntStream.range(0, count)
                .mapToObj(i -> unknown(
                        () -> i % 2 == 0 ? replica.id(lines + random.nextInt(1 << 30)) : letters(8),
                        word -> !known.contains(word)))
                .toList();
    }

    /** Begins like no word of English. */
    private String letters(int length) {
        final StringBuilder word = new StringBuilder("zq");
        while (word.length() < length) {
            word.append((char) ('a' + random.nextInt(26)));
        }
        return word.toString();
    }

    private static String unknown(Supplier<String> words, Predicate<String> accepted) {
        for (int tries = 0; tries < 100; tries++) {
            final String word = words.get();
            if (accepted.test(word)) {
                return word;
            }
        }
        throw new IllegalArgumentException("the logs have a word that they should not: word=" + words.get());
    }

    private boolean beginsNone(String prefix) {
        return known.stream().noneMatch(word -> word.startsWith(prefix));
    }

    private List<String> highWords() {
        final List<String> words = shares.entrySet().stream()
                .filter(word -> word.getValue() >= FREQUENT)
                .sorted(Map.Entry.<String, Double>comparingByValue()
                        .reversed()
                        .thenComparing(Map.Entry.comparingByKey()))
                .map(Map.Entry::getKey)
                .limit(count)
                .toList();
        if (words.isEmpty()) {
            throw new IllegalArgumentException("no word is frequent enough");
        }
        return words;
    }

    /** Beginnings of words, shorter than these, always written in one way, and neither of a host nor of an id. */
    private List<String> highPrefixes() {
        final Map<String, Double> written = new LinkedHashMap<>();
        final Map<String, Double> folded = new LinkedHashMap<>();
        for (int file = 0; file < corpus.files(); file++) {
            final double share = 1.0 / corpus.files() / corpus.lines(file).size();
            for (String line : corpus.lines(file)) {
                prefixesOf(List.of(line.split("[^A-Za-z0-9_]+")))
                        .forEach(prefix -> written.merge(prefix, share, Double::sum));
                prefixesOf(LogCorpus.words(line)).forEach(prefix -> folded.merge(prefix, share, Double::sum));
            }
        }
        return written.entrySet().stream()
                .filter(prefix -> prefix.getValue() >= FREQUENT
                        && folded.getOrDefault(prefix.getKey().toLowerCase(Locale.ROOT), 0.0) - prefix.getValue()
                                < 1e-9)
                .map(Map.Entry::getKey)
                .filter(prefix ->
                        !prefix.matches(HEX_DIGITS) && !LogReplica.host(0).startsWith(prefix.toLowerCase(Locale.ROOT)))
                .sorted(Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()))
                .limit(count)
                .toList();
    }

    private static Set<String> prefixesOf(Iterable<String> words) {
        final Set<String> prefixes = new HashSet<>();
        for (String word : words) {
            if (!word.isEmpty() && Character.isLetter(word.charAt(0))) {
                for (int length = PREFIX_LENGTH_MIN; length < word.length(); length++) {
                    prefixes.add(word.substring(0, length));
                }
            }
        }
        return prefixes;
    }

    private List<SearchQuestion> highPairs(List<String> high) {
        final List<SearchQuestion> pairs = new ArrayList<>();
        for (int i = 0; i < high.size(); i++) {
            for (int j = i + 1; j < high.size(); j++) {
                if (together(high.get(i), high.get(j)) >= TOGETHER) {
                    pairs.add(SearchQuestion.words(high.get(i), high.get(j)));
                }
            }
        }
        Collections.shuffle(pairs, random);
        return List.copyOf(pairs.subList(0, Math.min(count, pairs.size())));
    }

    private double together(String first, String second) {
        final boolean host = LogReplica.isHost(first);
        if (host || LogReplica.isHost(second)) {
            return host && LogReplica.isHost(second)
                    ? 0
                    : Math.min(shares.getOrDefault(first, 0.0), shares.getOrDefault(second, 0.0)) / LogReplica.HOSTS;
        }
        double share = 0;
        for (int file = 0; file < corpus.files(); file++) {
            for (String line : corpus.lines(file)) {
                final Set<String> words = LogCorpus.words(line);
                if (words.contains(first.toLowerCase(Locale.ROOT)) && words.contains(second.toLowerCase(Locale.ROOT))) {
                    share += 1.0 / corpus.files() / corpus.lines(file).size();
                }
            }
        }
        return share;
    }
}
