package dev.loom.cli.logtime;

import java.util.List;
import java.util.Optional;

/** Finds the form of a log's times in its first lines. */
public final class Recognition {
    private static final long AHEAD_SECONDS = 366L * 86_400;

    private final List<? extends TimeForm> forms;
    private final List<byte[]> lines;
    private final long nowSecond;
    private final int[][] counts;
    private final WrittenTime written = new WrittenTime();

    private Recognition(List<? extends TimeForm> forms, List<byte[]> lines, long nowNs) {
        this.forms = forms;
        this.lines = lines;
        this.nowSecond = Math.floorDiv(nowNs, 1_000_000_000L);
        this.counts = new int[LineTimes.WORD_MAX + 1][forms.size()];
    }

    /**
     * The times of a log, if at least a quarter of its first lines have one, not counting those that begin with white space.
     *
     * @param lines without their ends
     */
    public static Optional<RecognisedTimes> of(List<byte[]> lines, long nowNs) {
        Recognition known = new Recognition(KnownForm.ALL, lines, nowNs);
        long candidates = lines.stream()
                .filter(line -> LineTimes.word(line, 0, line.length, 0) >= 0)
                .count();
        return known.best(Math.max(1, (candidates + 3) / 4));
    }

    /**
     * The times of a log that are written by a pattern of {@link java.time.format.DateTimeFormatter}.
     *
     * @throws IllegalArgumentException if that is no pattern for times
     */
    public static RecognisedTimes of(List<byte[]> lines, long nowNs, String pattern) {
        TimeForm form = new PatternForm(pattern);
        return new Recognition(List.of(form), lines, nowNs).best(1).orElse(new RecognisedTimes(form));
    }

    /** The form that most lines have at the first word at which about as many have a time as at any. */
    private Optional<RecognisedTimes> best(long least) {
        lines.forEach(this::count);
        int most = 0;
        for (int[] ofWord : counts) {
            for (int count : ofWord) {
                most = Math.max(most, count);
            }
        }
        for (int word = 0; word < counts.length; word++) {
            int best = 0;
            for (int form = 0; form < forms.size(); form++) {
                best = counts[word][form] > counts[word][best] ? form : best;
            }
            if (counts[word][best] >= Math.max(least, (most + 1) / 2)) {
                return Optional.of(first(forms.get(best), word));
            }
        }
        return Optional.empty();
    }

    private void count(byte[] line) {
        for (int word = 0; word < counts.length; word++) {
            for (int form = 0; form < forms.size(); form++) {
                counts[word][form] += has(forms.get(form), line, word) ? 1 : 0;
            }
        }
    }

    private boolean has(TimeForm form, byte[] line, int word) {
        int at = LineTimes.word(line, 0, line.length, word);
        return word <= form.wordMax()
                && at >= 0
                && LineTimes.start(form, line, at, line.length, written) >= 0
                && written.isValid()
                && (!written.epoch || written.epochSecond < nowSecond + AHEAD_SECONDS);
    }

    private RecognisedTimes first(TimeForm form, int word) {
        List<byte[]> timed =
                lines.stream().filter(line -> has(form, line, word)).toList();
        TimeForm found =
                form instanceof KnownForm known ? known.withCommaDigits(commaDigits(known, timed, word)) : form;
        // what follows other digits may read otherwise
        return new RecognisedTimes(has(found, timed.get(0), word) ? found : form, word, timed.get(0));
    }

    /** How many digits all times have behind their commas, of those that have one; 0 if they differ, as columns do. */
    private int commaDigits(KnownForm form, List<byte[]> timed, int word) {
        int all = 0;
        for (byte[] line : timed) {
            LineTimes.start(form, line, LineTimes.word(line, 0, line.length, word), line.length, written);
            if (all != 0 && written.commaDigits != 0 && written.commaDigits != all) {
                return 0;
            }
            all = Math.max(all, written.commaDigits);
        }
        return all;
    }
}
