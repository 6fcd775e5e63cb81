package dev.loom.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the docs say of the sources: classes that exist, files that are there, a program that CI compiles. */
final class DocsTest {
    private static final Path ROOT = Path.of("..");
    private static final int RESULTS_LINES_MAX = 155;
    private static final Pattern CLASS = Pattern.compile("`([A-Z][A-Za-z]*[a-z][A-Za-z]*)(\\.[A-Za-z]+)?(\\(\\))?`");
    private static final Pattern EXPORT = Pattern.compile("exports ([a-z.]+);");
    private static final Pattern SECTION = Pattern.compile("## `([a-z.]+)`");
    private static final Pattern ROW = Pattern.compile("\\| `([A-Za-z0-9]+)` \\|");
    private static final Pattern FOREIGN =
            Pattern.compile("\\b(?i:so many(?! that)|anew|untold|gives free|but for|for want of)\\b|[a-z]Anew(?![a-z])"
                    + "|(^Of|[.;:(|*\"-] ?[Oo]f) (?!course)[^,.;:|]{2,60}, the ");
    /** Between the lines of a paragraph, or of a comment. */
    private static final Pattern BREAK = Pattern.compile("\\s*\\R[ \\t]*(?:(?:\\*|//) ?)?");

    private static final Pattern PARAGRAPHS = Pattern.compile("\\R[ \\t*]*\\R");
    private static final Pattern LENGTH = Pattern.compile(
            "before|after|timeout|(nano|milli)?seconds|(?!(from|to|first|last|(.*T|t)ime)(Ns|Ms)).*(Ns|Ms)");
    private static final Pattern LINK = Pattern.compile("\\]\\((?!https?:)([^)#]+)[^)]*\\)");

    @Test
    void shouldNameClassesThatExist() throws IOException {
        Set<String> classes = new ClassFileImporter()
                .importPackages("dev.loom").stream()
                        .map(JavaClass::getSimpleName)
                        .collect(Collectors.toSet());
        for (String page : List.of("docs/glossary.md", "docs/code.md")) {
            Set<String> named = matches(CLASS, ROOT.resolve(page));
            assertTrue(named.size() > 5, page);
            named.removeAll(classes);
            assertEquals(Set.of(), named, page);
        }
    }

    @Test
    void shouldLinkToFilesThatExist() throws IOException {
        List<Path> pages;
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            pages = Stream.concat(
                            docs.filter(file -> file.toString().endsWith(".md")),
                            Stream.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
                                    .map(ROOT::resolve))
                    .toList();
        }
        for (Path page : pages) {
            Set<String> linked = matches(LINK, page);
            linked.removeIf(link -> Files.exists(page.resolveSibling(link)));
            assertEquals(Set.of(), linked, page.toString());
        }
    }

    /** Words that no native engineer would write, such as a number that is not named, or an "of" whose noun comes later. */
    @Test
    void shouldUseWordsOfNativeEngineers() throws IOException {
        List<Path> texts = new ArrayList<>(Stream.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
                .map(ROOT::resolve)
                .toList());
        texts.addAll(files(ROOT.resolve("docs"), 2, ".md"));
        for (Path module : files(ROOT, 1, "")) {
            for (String sources : List.of("src/main/java", "src/test/java", "src/fixtures/java")) {
                if (Files.isDirectory(module.resolve(sources))) {
                    texts.addAll(files(module.resolve(sources), Integer.MAX_VALUE, ".java"));
                }
            }
        }
        texts.removeIf(text -> text.endsWith("DocsTest.java")); // which names those words
        assertTrue(texts.size() > 1_000, "texts=" + texts.size());
        List<String> found = new ArrayList<>();
        for (Path text : texts) {
            for (String paragraph :
                    PARAGRAPHS.splitAsStream(Files.readString(text)).toList()) {
                Matcher foreign = FOREIGN.matcher(BREAK.matcher(paragraph).replaceAll(" "));
                while (foreign.find()) {
                    found.add(ROOT.relativize(text) + ": " + foreign.group());
                }
            }
        }
        assertEquals(List.of(), found);
    }

    /** Its readers look for one figure; how it came about belongs to {@code docs/notes}. */
    @Test
    void shouldKeepResultsOnOnePage() throws IOException {
        int lines = Files.readAllLines(ROOT.resolve("docs/results.md")).size();
        assertTrue(
                lines <= RESULTS_LINES_MAX, "docs/results.md has more than " + RESULTS_LINES_MAX + " lines: " + lines);
    }

    /** {@code .ci/run} compiles and runs the sample, so what the README shows compiles as it stands. */
    @Test
    void shouldShowTheSampleProgram() throws IOException {
        String sample = Files.readString(ROOT.resolve("docs/examples/embed/src/main/java/example/Embed.java"));
        String readme = Files.readString(ROOT.resolve("README.md"));
        assertTrue(
                readme.contains("```java\n" + sample + "```\n"),
                "the README's program is not that of docs/examples/embed");
    }

    /** As above: {@code .ci/run} compiles and runs the program that the guide quotes. */
    @Test
    void shouldShowHowToServe() throws IOException {
        String sample = Files.readString(ROOT.resolve("docs/examples/server/src/main/java/example/Serve.java"));
        String guide = Files.readString(ROOT.resolve("docs/embedding.md"));
        int from = guide.indexOf("```java\nServerSettings ") + "```java\n".length();
        List<String> lines =
                guide.substring(from, guide.indexOf("```", from)).lines().toList();
        assertTrue(lines.size() == 3, lines.toString());
        for (String line : lines) {
            assertTrue(sample.contains(line.strip()), line);
        }
    }

    /** As above. */
    @Test
    void shouldShowHowAnOperatorDecides() throws IOException {
        String sample = Files.readString(ROOT.resolve("docs/examples/operator/src/main/java/example/CountAbove.java"));
        String guide = Files.readString(ROOT.resolve("docs/embedding.md"));
        int from = guide.indexOf("```java\npublic Step decide(") + "```java\n".length();
        String shown = guide.substring(from, guide.indexOf("```", from));
        assertTrue(sample.contains(shown.indent(4)), shown);
    }

    @Test
    void shouldListEachExportedTypeOnce() throws IOException {
        List<String> exported = publicTypes()
                .filter(JavaClass::isTopLevelClass)
                .map(JavaClass::getName)
                .sorted()
                .toList();
        List<String> listed = new ArrayList<>();
        String section = "";
        for (String line : Files.readAllLines(ROOT.resolve("docs/api.md"))) {
            Matcher heading = SECTION.matcher(line);
            Matcher row = ROW.matcher(line);
            if (heading.matches()) {
                section = heading.group(1);
            } else if (row.lookingAt()) {
                listed.add(section + '.' + row.group(1));
            }
        }
        Collections.sort(listed);
        assertEquals(exported, listed);
    }

    private static List<Path> files(Path directory, int depth, String suffix) throws IOException {
        try (Stream<Path> files = Files.walk(directory, depth)) {
            return files.filter(file -> file.toString().endsWith(suffix)).toList();
        }
    }

    /** A length of time is a {@link java.time.Duration}; only points in time are numbers. */
    @Test
    void shouldTakeNoLengthOfTimeAsANumber() throws IOException {
        List<String> taken = new ArrayList<>();
        publicTypes()
                .map(JavaClass::reflect)
                .forEach(type -> Stream.<Executable>concat(
                                Stream.of(type.getDeclaredConstructors()), Stream.of(type.getDeclaredMethods()))
                        .filter(each -> Modifier.isPublic(each.getModifiers()))
                        .flatMap(each -> Stream.of(each.getParameters()))
                        .filter(each -> each.getType() == long.class
                                && LENGTH.matcher(each.getName()).matches())
                        .forEach(each -> taken.add(each + " of " + each.getDeclaringExecutable())));
        assertEquals(List.of(), taken);
    }

    /** The public types of exported packages, nested ones too. */
    private static Stream<JavaClass> publicTypes() throws IOException {
        Set<String> packages = new TreeSet<>();
        for (String module : List.of("loom-core", "loom-query", "loom-ingest-otlp", "loom-server")) {
            packages.addAll(matches(EXPORT, ROOT.resolve(module + "/src/main/java/module-info.java")));
        }
        packages.add("dev.loom.parquet"); // its module has no descriptor
        return new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages("dev.loom").stream()
                        .filter(type -> packages.contains(type.getPackageName())
                                && type.getModifiers().contains(JavaModifier.PUBLIC));
    }

    private static Set<String> matches(Pattern pattern, Path page) throws IOException {
        return pattern.matcher(Files.readString(page))
                .results()
                .map((MatchResult match) -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
