import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.Tokenizer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.DocValues;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.NumericDocValues;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.CollectorManager;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.SimpleCollector;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopFieldCollectorManager;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.Version;

/**
 * Lucene as a peer of {@code dev.loom.bench.SearchVersusPeers}: the class {@code PeerProcess} has the protocol. Not part of the
 * build, as Lucene needs a newer Java. It is run from its source, and called with the directory of the index:
 *
 * <pre>
 *     java -Xmx2g -cp lucene-core.jar LucenePeer.java DIRECTORY
 * </pre>
 *
 * <p>The index has no positions, frequencies or norms; documents are sorted by time, newest first; the line is stored with LZ4, as
 * Lucene's default codec does. The query cache is off.
 */
final class LucenePeer {
    private static final int LIMIT = 10;
    private static final int STEPS = 60;
    private static final int ID_OFFSET = 34;
    private static final int ID_LENGTH = 16;
    private static final int TIME_LENGTH = "2026-01-01T00:00:00".length();
    private static final int MICROS_LENGTH = 6;
    private static final long MICROS = 1_000_000;
    private static final double BUFFER_MB = 256;
    private static final Sort NEWEST_FIRST = new Sort(new SortField("ts", SortField.Type.LONG, true));

    private final Path directory;
    private DirectoryReader reader;
    private IndexSearcher searcher;
    private long step = 1;

    private LucenePeer(Path directory) {
        this.directory = directory;
    }

    public static void main(String[] arguments) throws IOException {
        final LucenePeer peer = new LucenePeer(Path.of(arguments[0]));
        final BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            String answer;
            try {
                answer = "ok" + peer.answer(List.of(line.split("\t", -1)));
            } catch (final IOException | RuntimeException e) {
                e.printStackTrace();
                answer = "error\t" + e;
            }
            System.out.println(answer);
            System.out.flush();
        }
    }

    private String answer(List<String> request) throws IOException {
        return switch (request.get(0)) {
            case "version" -> "\tLucene " + Version.LATEST + " on JDK " + Runtime.version().feature()
                    + ", postings without frequencies and positions, index sorted by time, newest first, stored lines, buffer of "
                    + (int) BUFFER_MB + " MB, no query cache";
            case "load" -> load(Path.of(request.get(1)));
            case "open" -> open();
            case "release" -> release();
            case "cpu" -> "\t" + cpuNs();
            case "ask" -> ask(request.get(2), request.subList(3, request.size()));
            default -> throw new IllegalArgumentException("unknown request: request=" + request);
        };
    }

    private static long cpuNs() {
        return ((com.sun.management.OperatingSystemMXBean)
                        java.lang.management.ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private String load(Path file) throws IOException {
        final long startNs = System.nanoTime();
        final long cpuNs = cpuNs();
        final long accepted;
        final IndexWriterConfig config = new IndexWriterConfig(new WordAnalyzer())
                .setIndexSort(NEWEST_FIRST)
                .setRAMBufferSizeMB(BUFFER_MB)
                .setUseCompoundFile(false);
        try (FSDirectory index = FSDirectory.open(directory);
                IndexWriter writer = new IndexWriter(index, config);
                BufferedReader lines = new BufferedReader(
                        new InputStreamReader(Files.newInputStream(file), StandardCharsets.US_ASCII), 1 << 20)) {
            final FieldType words = new FieldType();
            words.setIndexOptions(IndexOptions.DOCS);
            words.setOmitNorms(true);
            words.setTokenized(true);
            words.setStored(true);
            words.freeze();
            final Field text = new Field("line", "", words);
            final NumericDocValuesField time = new NumericDocValuesField("ts", 0);
            final Document document = new Document();
            document.add(text);
            document.add(time);
            String second = "";
            long secondMicros = 0;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.startsWith(second) || second.isEmpty()) {
                    second = line.substring(0, TIME_LENGTH);
                    secondMicros = Instant.parse(second + "Z").getEpochSecond() * MICROS;
                }
                final int micros = TIME_LENGTH + 1;
                text.setStringValue(line);
                time.setLongValue(secondMicros + Integer.parseInt(line, micros, micros + MICROS_LENGTH, 10));
                writer.addDocument(document);
            }
            accepted = cpuNs() - cpuNs;
        }
        return "\t" + (System.nanoTime() - startNs) + "\t" + (cpuNs() - cpuNs) + "\t" + accepted;
    }

    private String open() throws IOException {
        reader = DirectoryReader.open(FSDirectory.open(directory));
        searcher = new IndexSearcher(reader);
        searcher.setQueryCache(null);
        long least = Long.MAX_VALUE;
        long greatest = Long.MIN_VALUE;
        for (LeafReaderContext leaf : reader.leaves()) {
            // sorted by time, newest first
            final NumericDocValues times = DocValues.getNumeric(leaf.reader(), "ts");
            times.advanceExact(0);
            greatest = Math.max(greatest, times.longValue());
            times.advanceExact(leaf.reader().maxDoc() - 1);
            least = Math.min(least, times.longValue());
        }
        step = Math.max(1, (greatest - least) / STEPS);
        return "";
    }

    private String release() throws IOException {
        if (reader != null) {
            reader.close();
            reader = null;
        }
        return "";
    }

    private String ask(String kind, List<String> words) throws IOException {
        final Query query = query(kind, words);
        final long startNs = System.nanoTime();
        if (kind.equals("COUNT")) {
            final long total = searcher.search(query, new TimeCountsManager(step));
            return "\t" + (System.nanoTime() - startNs) + "\t" + total + "\t";
        }
        final ScoreDoc[] found =
                searcher.search(query, new TopFieldCollectorManager(NEWEST_FIRST, LIMIT, null, LIMIT)).scoreDocs;
        final List<String> ids = new ArrayList<>();
        for (ScoreDoc each : found) {
            final String line = searcher.storedFields().document(each.doc).get("line");
            ids.add(line.substring(ID_OFFSET, ID_OFFSET + ID_LENGTH));
        }
        return "\t" + (System.nanoTime() - startNs) + "\t" + ids.size() + "\t" + String.join(",", ids);
    }

    private static Query query(String kind, List<String> words) {
        final List<Query> all = new ArrayList<>();
        for (String word : words) {
            final Term term = new Term("line", word.toLowerCase(Locale.ROOT));
            all.add(kind.equals("PREFIX") ? new PrefixQuery(term) : new TermQuery(term));
        }
        if (all.size() == 1) {
            return all.get(0);
        }
        final BooleanQuery.Builder and = new BooleanQuery.Builder();
        all.forEach(each -> and.add(each, BooleanClause.Occur.FILTER));
        return and.build();
    }

    /** Counts documents by time; the result is how many there are. */
    private record TimeCountsManager(long step) implements CollectorManager<TimeCounts, Long> {
        @Override
        public TimeCounts newCollector() {
            return new TimeCounts(step);
        }

        @Override
        public Long reduce(Collection<TimeCounts> collectors) {
            return collectors.stream()
                    .flatMap(each -> each.counts.values().stream())
                    .mapToLong(each -> each[0])
                    .sum();
        }
    }

    /** Counts documents by time. */
    private static final class TimeCounts extends SimpleCollector {
        private final Map<Long, long[]> counts = new TreeMap<>();
        private final long step;
        private NumericDocValues times;
        private long current = Long.MIN_VALUE;
        private long[] count = new long[1];

        TimeCounts(long step) {
            this.step = step;
        }

        @Override
        protected void doSetNextReader(LeafReaderContext context) throws IOException {
            times = DocValues.getNumeric(context.reader(), "ts");
        }

        @Override
        public void collect(int document) throws IOException {
            times.advanceExact(document);
            final long slot = times.longValue() / step;
            if (slot != current) {
                current = slot;
                count = counts.computeIfAbsent(slot, key -> new long[1]);
            }
            count[0]++;
        }

        @Override
        public ScoreMode scoreMode() {
            return ScoreMode.COMPLETE_NO_SCORES;
        }
    }

    /** Words of ASCII letters, digits and underscores, folded: what Loom takes for a word in ASCII texts. */
    private static final class WordAnalyzer extends Analyzer {
        @Override
        protected TokenStreamComponents createComponents(String fieldName) {
            return new TokenStreamComponents(new WordTokenizer());
        }
    }

    private static final class WordTokenizer extends Tokenizer {
        private final CharTermAttribute term = addAttribute(CharTermAttribute.class);
        private final char[] buffer = new char[1 << 13];
        private int position;
        private int end;

        @Override
        public boolean incrementToken() throws IOException {
            clearAttributes();
            char[] word = term.buffer();
            int length = 0;
            while (true) {
                if (position == end) {
                    position = 0;
                    end = input.read(buffer, 0, buffer.length);
                    if (end <= 0) {
                        end = 0;
                        break;
                    }
                }
                final char c = buffer[position++];
                if (c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c == '_') {
                    if (length == word.length) {
                        word = term.resizeBuffer(length + 1);
                    }
                    word[length++] = c >= 'A' && c <= 'Z' ? (char) (c + 'a' - 'A') : c;
                } else if (length > 0) {
                    break;
                }
            }
            term.setLength(length);
            return length > 0;
        }

        @Override
        public void reset() throws IOException {
            super.reset();
            position = 0;
            end = 0;
        }
    }
}
