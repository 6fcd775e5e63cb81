package dev.loom.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Our reader against a tree made by Jackson, on which a path is followed in the plainest way. */
class JsonDifferentialTest {
    private static final JsonFactory JACKSON = new JsonFactory();
    private static final int DOCUMENTS = Integer.getInteger("loom.test.json.documents", 5_000);

    private static final String MUTATIONS = "{}[]\",:\\ \n0123456789.eE+-truefalsn\001xu";

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final JsonDocuments documents = new JsonDocuments(random);
    private final FieldValue value = new FieldValue();

    /** Members in order, also of equal names. */
    private record Members(List<Map.Entry<String, Object>> list) {}

    private record Elements(List<Object> list) {}

    private enum Null {
        NULL
    }

    @BeforeEach
    void printSeed() {
        System.out.println("JsonDifferentialTest: -Dloom.test.seed=" + seed);
    }

    @Test
    void shouldReadEveryPathAsJacksonDoes() throws IOException {
        int found = 0;
        for (int i = 0; i < DOCUMENTS; i++) {
            String document = documents.next();
            Object tree = parse(document);
            assertTrue(tree != null, () -> "seed=" + seed + " document=" + document);
            for (int j = 0; j < 4; j++) {
                String path = randomPath();
                Object expected = path.isEmpty() ? tree : follow(tree, List.of(path.split("\\.", -1)));
                found += expected == null ? 0 : 1;
                assertSame(expected, document, path);
            }
        }
        assertTrue(found > DOCUMENTS / 4, "too few paths led anywhere: " + found);
    }

    @Test
    void shouldAgreeOnWhatIsWellFormed() throws IOException {
        int malformed = 0;
        for (int i = 0; i < DOCUMENTS; i++) {
            String document = mutate(documents.next().replaceAll("[^\\x00-\\x7f]", "x"));
            Object tree = parse(document);
            malformed += tree == null ? 1 : 0;
            assertSame(tree, document, "");
            String path = randomPath();
            if (tree == null) {
                read(document, path); // gives something or nothing, but does not throw
            } else if (!path.isEmpty()) {
                assertSame(follow(tree, List.of(path.split("\\.", -1))), document, path);
            }
        }
        assertTrue(malformed > DOCUMENTS / 10 && malformed < DOCUMENTS, "malformed=" + malformed);
    }

    @Test
    void shouldRoundNumbersAsJavaDoes() throws IOException {
        for (int i = 0; i < DOCUMENTS; i++) {
            double any = Double.longBitsToDouble(random.nextLong());
            String number = Double.isFinite(any) ? Double.toString(any) : "0.5";
            read(number, "");
            assertEquals(Double.parseDouble(number), value.doubleValue(), () -> "seed=" + seed + " " + number);
        }
    }

    private void assertSame(@Nullable Object expected, String document, String path) throws IOException {
        read(document, path);
        String context = "seed=" + seed + " path=" + path + " document=" + document;
        if (expected == null || expected == Null.NULL) {
            assertEquals(FieldValue.Kind.ABSENT, value.kind(), context);
        } else if (expected instanceof Members || expected instanceof Elements) {
            assertEquals(FieldValue.Kind.JSON, value.kind(), context);
            assertEquals(expected, parse(value.text()), context);
            assertEquals(value.text().strip(), value.text(), context);
        } else if (expected instanceof String) {
            assertEquals(FieldValue.Kind.TEXT, value.kind(), context);
            assertEquals(expected, value.text(), context);
        } else if (expected instanceof Boolean) {
            assertEquals(FieldValue.Kind.BOOLEAN, value.kind(), context);
            assertEquals(expected.toString(), value.text(), context);
        } else if (expected instanceof BigInteger integer
                && integer.bitLength() < 64 + (integer.signum() < 0 ? 0 : 1)) {
            assertEquals(
                    integer.bitLength() < 64 ? FieldValue.Kind.INTEGER : FieldValue.Kind.UNSIGNED,
                    value.kind(),
                    context);
            assertEquals(expected.toString(), value.text(), context);
        } else {
            assertEquals(FieldValue.Kind.DOUBLE, value.kind(), context);
            assertEquals(Double.parseDouble(expected.toString()), value.doubleValue(), context);
        }
    }

    private void read(String document, String path) {
        byte[] utf8 = document.getBytes(StandardCharsets.UTF_8);
        value.setInteger(-1);
        new JsonFieldReader(path).read(new UnsafeBuffer(utf8), 0, utf8.length, value);
    }

    private String randomPath() {
        StringBuilder path = new StringBuilder();
        for (int i = random.nextInt(4); i > 0; i--) {
            path.append(path.isEmpty() ? "" : ".")
                    .append(JsonDocuments.NAMES[random.nextInt(JsonDocuments.NAMES.length)]);
        }
        return path.toString();
    }

    private String mutate(String document) {
        StringBuilder text = new StringBuilder(document);
        for (int i = random.nextInt(3); i > 0 && !text.isEmpty(); i--) {
            int at = random.nextInt(text.length());
            char c = MUTATIONS.charAt(random.nextInt(MUTATIONS.length()));
            switch (random.nextInt(4)) {
                case 0 -> text.setCharAt(at, c);
                case 1 -> text.insert(at, c);
                case 2 -> text.deleteCharAt(at);
                default -> text.setLength(at);
            }
        }
        return text.toString();
    }

    /** Values that a path leads to, through elements of arrays or not. */
    private record Found(List<Object> values, boolean ofElements) {}

    /** What the path leads to; of elements the array of it without nulls. Null if it leads nowhere. */
    private static @Nullable Object follow(Object node, List<String> path) {
        Found found = find(node, path);
        if (found == null || !found.ofElements()) {
            return found == null ? null : found.values().get(0);
        }
        List<Object> values =
                found.values().stream().filter(value -> value != Null.NULL).toList();
        return values.isEmpty() ? Null.NULL : new Elements(values);
    }

    /** Of several members the one by the longest name, then the first. */
    private static @Nullable Found find(Object node, List<String> path) {
        if (path.isEmpty()) {
            return new Found(List.of(node), false);
        }
        if (node instanceof Members members) {
            for (int count = path.size(); count > 0; count--) {
                String name = String.join(".", path.subList(0, count));
                for (Map.Entry<String, Object> member : members.list()) {
                    Found found = member.getKey().equals(name)
                            ? find(member.getValue(), path.subList(count, path.size()))
                            : null;
                    if (found != null) {
                        return found;
                    }
                }
            }
        }
        if (!(node instanceof Elements elements)) {
            return null;
        }
        if (path.get(0).matches("0|[1-9][0-9]{0,8}")) {
            int index = Integer.parseInt(path.get(0));
            return index < elements.list().size()
                    ? find(elements.list().get(index), path.subList(1, path.size()))
                    : null;
        }
        List<Found> all = elements.list().stream()
                .map(element -> find(element, path))
                .filter(Objects::nonNull)
                .toList();
        return all.isEmpty()
                ? null
                : new Found(
                        all.stream().flatMap(found -> found.values().stream()).toList(), true);
    }

    /** The tree of a document of one value, or null if it is malformed. */
    private static @Nullable Object parse(String document) throws IOException {
        try (JsonParser parser = JACKSON.createParser(document.getBytes(StandardCharsets.UTF_8))) {
            if (parser.nextToken() == null) {
                return null;
            }
            Object tree = tree(parser);
            return parser.nextToken() == null ? tree : null;
        } catch (JsonProcessingException e) {
            return null;
        }
    }

    private static String withoutLoneSurrogates(String text) {
        return text.codePoints()
                .map(c -> c >= 0xD800 && c <= 0xDFFF ? 0xFFFD : c)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static Object tree(JsonParser parser) throws IOException {
        return switch (parser.currentToken()) {
            case START_OBJECT -> {
                Members members = new Members(new ArrayList<>());
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    String name = withoutLoneSurrogates(parser.currentName());
                    parser.nextToken();
                    members.list().add(Map.entry(name, tree(parser)));
                }
                yield members;
            }
            case START_ARRAY -> {
                Elements elements = new Elements(new ArrayList<>());
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    elements.list().add(tree(parser));
                }
                yield elements;
            }
            case VALUE_STRING -> withoutLoneSurrogates(parser.getText());
            case VALUE_NUMBER_INT -> new BigInteger(parser.getText());
            case VALUE_NUMBER_FLOAT -> Double.parseDouble(parser.getText());
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> Null.NULL;
            default -> throw new IllegalStateException(parser.currentToken().toString());
        };
    }
}
