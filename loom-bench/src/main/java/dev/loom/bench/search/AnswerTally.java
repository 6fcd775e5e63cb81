package dev.loom.bench.search;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.agrona.collections.Long2ObjectHashMap;

/** The right answers, found while the log is written, from what each line is made of. */
final class AnswerTally implements LogReplica.LineHandler {
    private static final Pattern MICROS = Pattern.compile("[0-9]{6}Z");
    private static final Pattern ID = Pattern.compile("[0-9a-f]{10}|[0-9a-f]{16}");
    private static final int HEX_DIGITS = 10;
    private static final int OTHER_BITS = Long.SIZE - 4 * HEX_DIGITS;

    private final LogReplica replica;
    private final List<Set<String>> words;
    private final Map<SearchQuestion, Hits> hits = new LinkedHashMap<>();

    /** The questions that no id and no time decides, by text and host. */
    private final List<List<Hits>> common = new ArrayList<>();

    /** The others, by the beginning of an id, and by microseconds: those that are worth a look. */
    private final Long2ObjectHashMap<List<Hits>> byId = new Long2ObjectHashMap<>();

    private final Map<Integer, List<Hits>> byMicros = new LinkedHashMap<>();
    private final boolean[] micros = new boolean[LogReplica.MICROS];

    AnswerTally(LogCorpus corpus, LogReplica replica, List<QuestionClass> classes) {
        this.replica = replica;
        words = corpus.all().stream().map(LogCorpus::words).toList();
        classes.forEach(each -> each.questions().forEach(question -> hits.computeIfAbsent(question, Hits::new)));
        final List<Hits> others = new ArrayList<>();
        hits.values().forEach(each -> {
            if (!isRare(each)) {
                others.add(each);
            }
        });
        for (int text = 0; text < words.size(); text++) {
            for (int host = 0; host < LogReplica.HOSTS; host++) {
                final List<Hits> of = new ArrayList<>();
                for (Hits each : others) {
                    if (has(each.question, "", "", host, text)) {
                        of.add(each);
                    }
                }
                common.add(of);
            }
        }
    }

    /** The newest lines that a question finds, and how many there are. */
    private static final class Hits {
        final SearchQuestion question;
        final long[] newest = new long[SearchQuestion.LIMIT];
        long count;

        Hits(SearchQuestion question) {
            this.question = question;
        }

        void add(long number) {
            newest[(int) (count % newest.length)] = number;
            count++;
        }
    }

    private boolean isRare(Hits of) {
        boolean rare = false;
        for (String word : of.question.words()) {
            if (MICROS.matcher(word).matches()) {
                final int number = Integer.parseInt(word.substring(0, word.length() - 1));
                micros[number] = true;
                byMicros.computeIfAbsent(number, key -> new ArrayList<>()).add(of);
                rare = true;
            } else if (ID.matcher(word).matches()) {
                final long key = Long.parseLong(word.substring(0, HEX_DIGITS), 16);
                byId.computeIfAbsent(key, unused -> new ArrayList<>()).add(of);
                rare = true;
            }
        }
        return rare;
    }

    @Override
    public void onLine(long number, int host, int text) {
        final List<Hits> some = common.get(text * LogReplica.HOSTS + host);
        for (int i = 0; i < some.size(); i++) {
            some.get(i).add(number);
        }
        final List<Hits> ofId = byId.get(replica.idNumber(number) >>> OTHER_BITS);
        final int microsOfLine = replica.microsOfSecond(number);
        if (ofId != null || micros[microsOfLine]) {
            final Set<Hits> candidates = new LinkedHashSet<>(ofId == null ? List.of() : ofId);
            candidates.addAll(byMicros.getOrDefault(microsOfLine, List.of()));
            final String time = replica.microsWord(number);
            final String id = replica.id(number);
            candidates.removeIf(each -> !has(each.question, time, id, host, text));
            candidates.forEach(each -> each.add(number));
        }
    }

    private boolean has(SearchQuestion question, String time, String id, int host, int text) {
        final boolean prefix = question.kind() == SearchQuestion.Kind.PREFIX;
        for (String word : question.words()) {
            final String folded = word.toLowerCase(Locale.ROOT);
            final boolean found = prefix
                    ? id.startsWith(folded)
                            || LogReplica.host(host).startsWith(folded)
                            || words.get(text).stream().anyMatch(each -> each.startsWith(folded))
                    : word.equals(time)
                            || word.equals(id)
                            || LogReplica.host(host).equals(folded)
                            || words.get(text).contains(folded);
            if (!found) {
                return false;
            }
        }
        return true;
    }

    /** How many lines have what a question asks for, at most {@link SearchQuestion#LIMIT} of which are in the answer. */
    long lines(SearchQuestion question) {
        return of(question).count;
    }

    /** What every side has to answer. */
    Answer expected(SearchQuestion question) {
        final Hits found = of(question);
        if (question.kind() == SearchQuestion.Kind.COUNT) {
            return new Answer(0, found.count, List.of());
        }
        final List<String> ids = new ArrayList<>();
        for (long i = found.count - 1; i >= 0 && ids.size() < SearchQuestion.LIMIT; i--) {
            ids.add(replica.id(found.newest[(int) (i % SearchQuestion.LIMIT)]));
        }
        return new Answer(0, ids.size(), ids);
    }

    private Hits of(SearchQuestion question) {
        final Hits found = hits.get(question);
        if (found == null) {
            throw new IllegalArgumentException("question is not one of those chosen: question=" + question);
        }
        return found;
    }
}
