package dev.loom.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The script that builds the command when it must: beside a build and a Java that only say that they were called. */
final class LauncherTest {
    private static final List<String> MODULES =
            List.of("loom-core", "loom-query", "loom-ingest-otlp", "loom-server", "loom-cli");
    private static final String BUILDING = """
        echo '[INFO] Building Loom Core 0.1.0-SNAPSHOT              [2/5]'
        echo '[INFO] --- compiler:3.16.0:compile (default-compile) @ loom-core ---'
        echo '[INFO] Compiling 201 source files'
        """;

    @TempDir
    Path root;

    private @Nullable Path started;

    @BeforeEach
    void layOut() throws IOException {
        Files.copy(Path.of("..", "loom"), root.resolve("loom"));
        Files.createFile(root.resolve("pom.xml"));
        Files.createFile(root.resolve("LICENSE"));
        for (String module : MODULES) {
            Files.createDirectories(root.resolve(module).resolve("src/main"));
            Files.createFile(root.resolve(module).resolve("pom.xml"));
        }
        Files.createDirectories(root.resolve("jdk/bin"));
        Files.writeString(root.resolve("jdk/release"), "JAVA_VERSION=\"17.0.1\"\n");
        script("jdk/bin/java", "echo \"java $*\"\n");
    }

    private void script(String name, String commands) throws IOException {
        Path file = root.resolve(name);
        Files.writeString(file, "#!/bin/sh\n" + commands);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }

    private record Result(int exitCode, List<String> out, List<String> err) {}

    private Result run(String... variables) throws Exception {
        return run(List.of("info"), variables);
    }

    private Result run(List<String> arguments, String... variables) throws Exception {
        Path out = root.resolve("out");
        Path err = root.resolve("err");
        List<String> command = new ArrayList<>(List.of(
                "sh", Objects.requireNonNullElse(started, root.resolve("loom")).toString()));
        command.addAll(arguments);
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        // whatever the build's own environment has
        builder.environment()
                .keySet()
                .removeAll(Set.of(
                        "MAVEN_USER_HOME", "LOOM_JAVA_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"));
        builder.environment().put("JAVA_HOME", root.resolve("jdk").toString());
        builder.environment().put("HOME", root.toString());
        for (int i = 0; i < variables.length; i += 2) {
            builder.environment().put(variables[i], variables[i + 1]);
        }
        int exitCode = builder.start().waitFor();
        return new Result(exitCode, Files.readAllLines(out), Files.readAllLines(err));
    }

    /** A build that is newer than the sources. */
    private void built() throws IOException {
        Files.createDirectories(root.resolve("loom-cli/target/run"));
        Files.createFile(root.resolve("loom-cli/target/run/loom.jar"));
    }

    @Test
    void shouldLeaveTheCollectorToWhoeverChoosesOne() throws Exception {
        built();
        String serial = "-XX:+UseSerialGC";
        assertTrue(run().out().get(0).contains(serial));
        assertTrue(run("JAVA_TOOL_OPTIONS", "-XX:+UseNUMA -XX:MaxGCPauseMillis=50 *")
                .out()
                .get(0)
                .contains(serial));
        for (String variable : List.of("LOOM_JAVA_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")) {
            String chosen = run(variable, "-Xmx1g -XX:+UseG1GC").out().get(0);
            assertFalse(chosen.contains(serial), variable + ": " + chosen);
        }
        assertFalse(run("JDK_JAVA_OPTIONS", "@/etc/java.opts").out().get(0).contains(serial), "a file may choose one");
    }

    /** Commands that read records profit from the optimizing compiler. */
    @Test
    void shouldCompileQuicklyWhereCommandsAreShort() throws Exception {
        built();
        String quick = "-XX:TieredStopAtLevel=1 ";
        for (String line : List.of(
                "",
                "--version",
                "help scan",
                "info",
                "sources",
                "source add s",
                "fields s",
                "index list s",
                "retain")) {
            List<String> arguments = line.isEmpty() ? List.of() : List.of(line.split(" "));
            assertTrue(run(arguments).out().get(0).contains(quick), line);
        }
        for (String line : List.of("serve", "scan s", "index add s f --backfill", "index", "information", "verify")) {
            assertFalse(run(List.of(line.split(" "))).out().get(0).contains(quick), line);
        }
    }

    /** The system follows a link before it goes up from where that leads. */
    @Test
    void shouldFindItselfThroughLinks() throws Exception {
        built();
        Files.createDirectories(root.resolve("usr/bin"));
        Files.createSymbolicLink(root.resolve("bin"), Path.of("usr/bin"));
        Files.createSymbolicLink(root.resolve("usr/bin/loom"), Path.of("../../loom"));
        started = root.resolve("bin/loom");
        Result found = run();
        assertEquals(0, found.exitCode(), found.toString());
        assertTrue(
                found.out().get(0).contains(root.toRealPath().resolve("loom-cli/target/run/loom.jar") + " info"),
                found.toString());
    }

    @Test
    void shouldSayHowFarTheBuildIs() throws Exception {
        script("mvnw", BUILDING + "mkdir -p loom-cli/target/run\necho jar >loom-cli/target/run/loom.jar.new\n");
        Result built = run();
        assertEquals(0, built.exitCode(), built.toString());
        assertEquals(1, built.out().size());
        assertTrue(built.out().get(0).endsWith("loom-cli/target/run/loom.jar info"), built.toString());
        assertEquals(
                List.of(
                        "loom: building, as there is no build newer than the sources",
                        "loom: downloading Maven",
                        "loom: building Loom Core, 2 of 5",
                        "loom: compiling Loom Core",
                        "loom: archiving classes, so that commands start faster"),
                built.err());
    }

    @Test
    @Timeout(60)
    void shouldSayThatItCannotBuildHere() throws Exception {
        Files.createDirectories(root.resolve("loom-cli/target"));
        Files.createFile(root.resolve("loom-cli/target/run.lock")); // no link, so that none can be made or read
        Result failed = run();
        assertEquals(1, failed.exitCode());
        assertTrue(failed.err().get(0).contains("none can be made here"), failed.toString());
    }

    /** As where the folder is another user's: the lock of a build that was killed can be seen, and not be removed. */
    @Test
    @Timeout(60)
    void shouldSayThatItCannotRemoveALock() throws Exception {
        Path target = Files.createDirectories(root.resolve("loom-cli/target"));
        Files.createSymbolicLink(target.resolve("run.lock"), Path.of("999999999"));
        Files.createFile(target.resolve("run.lock.removal")); // no link, so that none can be made or read
        Result failed = run();
        assertEquals(1, failed.exitCode());
        assertTrue(failed.err().get(0).contains("none can be made here"), failed.toString());
    }

    /** As in a container, where each launcher is process 1. */
    @Test
    @Timeout(60)
    void shouldNotWaitForItself() throws Exception {
        script("mvnw", BUILDING + "mkdir -p loom-cli/target/run\necho jar >loom-cli/target/run/loom.jar.new\n");
        Files.createDirectories(root.resolve("loom-cli/target"));
        script("again", "cd " + root + " && ln -s $$ loom-cli/target/run.lock && exec sh ./loom info\n");
        ProcessBuilder builder = new ProcessBuilder("sh", root.resolve("again").toString())
                .redirectErrorStream(true)
                .redirectOutput(root.resolve("out").toFile());
        builder.environment().put("JAVA_HOME", root.resolve("jdk").toString());
        builder.environment().put("HOME", root.toString());
        assertEquals(0, builder.start().waitFor(), () -> String.valueOf(root.resolve("out")));
    }

    /** Between its look at the lock and its removal, another one that waits removes the lock, and takes it. */
    @Test
    @Timeout(60)
    void shouldNotRemoveTheLockOfABuildThatHasJustBegun() throws Exception {
        script("mvnw", BUILDING + "mkdir -p loom-cli/target/run\necho jar >loom-cli/target/run/loom.jar.new\n");
        Path lock = root.resolve("loom-cli/target/run.lock");
        Files.createDirectories(lock.getParent());
        Files.createSymbolicLink(lock, Path.of("999999999"));
        Files.createDirectories(root.resolve("path"));
        script("path/readlink", """
            looks=$(cat $HOME/looks 2>/dev/null || echo 0)
            case $1 in
              */run.lock)
                echo $((looks + 1)) >$HOME/looks
                [ $looks != 3 ] || rm -f "$1"
                PATH=${PATH#*:} readlink "$1" || exit 1
                [ $looks != 0 ] || ln -sfn OTHER "$1"
                ;;
              *) PATH=${PATH#*:} exec readlink "$@" ;;
            esac
            """.replace(
                        "OTHER", String.valueOf(ProcessHandle.current().pid())));
        Result built = run("PATH", root.resolve("path") + ":" + System.getenv("PATH"));
        assertEquals(0, built.exitCode(), built.toString());
        assertTrue(built.err().get(0).startsWith("loom: waiting for another build: "), built.toString());
    }

    @Test
    @Timeout(60)
    void shouldNotWaitForWhoWasKilledWhileRemovingALock() throws Exception {
        script("mvnw", BUILDING + "mkdir -p loom-cli/target/run\necho jar >loom-cli/target/run/loom.jar.new\n");
        Files.createDirectories(root.resolve("loom-cli/target"));
        for (String lock : List.of("run.lock", "run.lock.removal")) {
            Files.createSymbolicLink(root.resolve("loom-cli/target").resolve(lock), Path.of("999999999"));
        }
        assertEquals(0, run().exitCode());
    }

    @Test
    void shouldPrintTheErrorsOfABuildThatFails() throws Exception {
        script("mvnw", BUILDING + "echo '[ERROR] missing.java: not found'\nexit 1\n");
        Result failed = run();
        assertEquals(1, failed.exitCode());
        assertEquals(List.of(), failed.out());
        assertEquals(
                List.of("[ERROR] missing.java: not found", "loom: the build failed, see above"),
                failed.err().subList(failed.err().size() - 2, failed.err().size()));
        assertTrue(Files.notExists(root.resolve("loom-cli/target/run.lock"), LinkOption.NOFOLLOW_LINKS));
        shouldSayHowFarTheBuildIs();
    }

    /** Maven's wrapper says so in words of its own, as where nothing can be downloaded. */
    @Test
    void shouldPrintTheLastLinesOfABuildThatFailsBeforeMavenIsThere() throws Exception {
        script(
                "mvnw",
                "for i in 1 2 3 4 5 6 7 8 9 10; do echo line $i; done\necho 'wget: Failed to fetch' >&2\nexit 1\n");
        Result failed = run();
        assertEquals(1, failed.exitCode());
        List<String> expected = new ArrayList<>();
        for (int i = 2; i <= 10; i++) {
            expected.add("line " + i);
        }
        expected.addAll(List.of("wget: Failed to fetch", "loom: the build failed, see above"));
        assertEquals(expected, failed.err().subList(2, failed.err().size()));
        assertTrue(shouldBuild().err().stream().noneMatch(line -> line.startsWith("[INFO]")));
    }

    private Result shouldBuild() throws Exception {
        script("mvnw", BUILDING + "mkdir -p loom-cli/target/run\necho jar >loom-cli/target/run/loom.jar.new\n");
        Result built = run();
        assertEquals(0, built.exitCode(), built.toString());
        return built;
    }

    /** As of cron, services and containers. */
    @Test
    void shouldGiveTheJvmALocaleOfUtf8WhereThereIsNone() throws Exception {
        built();
        script("jdk/bin/java", "echo \"[$LC_CTYPE]\"\n");
        assertEquals(
                List.of("[C.UTF-8]"),
                run("LC_ALL", "", "LC_CTYPE", "", "LANG", "").out());
        assertEquals(
                List.of("[]"),
                run("LC_ALL", "", "LC_CTYPE", "", "LANG", "de_DE.UTF-8").out());
        assertEquals(
                List.of("[C]"), run("LC_ALL", "", "LC_CTYPE", "C", "LANG", "").out());
    }

    @Test
    void shouldShareClassesOfThisJarAndThisJdk() throws Exception {
        script("mvnw", "mkdir -p loom-cli/target/run\necho jar >loom-cli/target/run/loom.jar.new\n");
        Path modules = Files.createFile(
                Files.createDirectories(root.resolve("jdk/lib")).resolve("modules"));
        script("jdk/bin/java", """
            for argument in "$@"; do
              case "$1 $argument" in
                -Xshare:dump\\ -XX:SharedArchiveFile=*) echo classes >"${argument#*=}" ;;
              esac
            done
            echo "java $*"
            """);
        assertTrue(shares(run()));
        assertTrue(sharesWhatIsThere(run()));
        assertFalse(shares(run("LOOM_JAVA_OPTS", "-Xint")));
        assertFalse(shares(run("JAVA_TOOL_OPTIONS", "-Xint")));

        Path folder = root.resolve("loom-cli/target/run");
        FileTime later = FileTime.fromMillis(Files.getLastModifiedTime(modules).toMillis() + 60_000);
        for (Path changed : List.of(folder.resolve("loom.jar"), modules)) {
            later = FileTime.fromMillis(later.toMillis() + 60_000);
            Files.setLastModifiedTime(changed, later);
            assertTrue(archives(run()), changed.toString());
            assertTrue(sharesWhatIsThere(run()));
        }
        Files.writeString(root.resolve("jdk/release"), "JAVA_VERSION=\"17.0.2\"\n");
        assertTrue(archives(run()), "the JDK is another");
        assertTrue(sharesWhatIsThere(run()));
        Files.writeString(folder.resolve("loom-17.jsa"), "");
        assertFalse(shares(run()), "the archive is empty");
        Files.delete(folder.resolve("loom-17.jsa"));
        assertFalse(shares(run()), "the archive is gone");
        Files.delete(folder.resolve("loom-17.jsa.for"));
        assertTrue(archives(run()));
        try (Stream<Path> left = Files.list(root.resolve("loom-cli/target"))) {
            assertTrue(left.noneMatch(file -> file.getFileName().toString().startsWith("run.share")));
        }
    }

    @Test
    void shouldTryOnceWhereTheJvmMakesNoArchive() throws Exception {
        script("mvnw", "mkdir -p loom-cli/target/run\necho jar >loom-cli/target/run/loom.jar.new\n");
        script("jdk/bin/java", "case $1 in -Xshare* | -XX:Dump*) exit 1 ;; esac\necho \"java $*\"\n");
        Result first = run();
        assertFalse(shares(first));
        assertTrue(archives(first));
        Result second = run();
        assertFalse(shares(second));
        assertFalse(archives(second));
    }

    /** Whoever does not export as Parquet neither builds that module nor has it on the class path. */
    @Test
    void shouldBuildTheModuleThatAnExportNeeds() throws Exception {
        script("mvnw", """
            case "$*" in
              *loom-parquet*) mkdir -p loom-parquet/target/run; echo jar >loom-parquet/target/run/parquet.jar.new ;;
              *) mkdir -p loom-cli/target/run; echo jar >loom-cli/target/run/loom.jar.new ;;
            esac
            """);
        Files.createDirectories(root.resolve("loom-parquet/src/main"));
        Files.createFile(root.resolve("loom-parquet/pom.xml"));
        for (List<String> arguments : List.of(List.of("export", "--source", "parquets"), List.of("scan", "parquet"))) {
            Result without = run(arguments);
            assertTrue(without.out().get(0).endsWith("loom.jar " + String.join(" ", arguments)), without.toString());
        }
        assertTrue(Files.notExists(root.resolve("loom-parquet/target")));
        String jars = "-cp " + root.toRealPath() + "/loom-cli/target/run/loom.jar:" + root.toRealPath()
                + "/loom-parquet/target/run/parquet.jar dev.loom.cli.Main ";
        for (List<String> arguments :
                List.of(List.of("export", "--format", "parquet"), List.of("export", "--format=PARQUET", "--force"))) {
            Result with = run(arguments);
            assertTrue(with.out().get(0).endsWith(jars + String.join(" ", arguments)), with.toString());
        }
        Result with = run(List.of("export"), "LOOM_FORMAT", "parquet");
        assertTrue(with.out().get(0).endsWith(jars + "export"), with.toString());
    }

    /** A build of the whole project, begun and ended at some times in seconds. */
    private void builtWhole(long begun, long ended) throws IOException {
        Path target = Files.createDirectories(root.resolve("loom-cli/target"));
        Files.writeString(target.resolve("loom.jar"), "whole");
        date(target.resolve("loom.jar"), begun);
        stamp(Files.createDirectories(root.resolve("target")).resolve("build.start"), begun);
        stamp(target.resolve("build.end"), ended);
    }

    private static void stamp(Path file, long second) throws IOException {
        Files.writeString(file, "");
        date(file, second);
    }

    private static void date(Path file, long second) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(Instant.ofEpochSecond(second)));
    }

    private void dateAll(long second) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.toList()) {
                date(file, second);
            }
        }
    }

    private static final String BUILD =
            "echo built >>log\nmkdir -p loom-cli/target/run\necho jar >loom-cli/target/run/loom.jar.new\n";

    @Test
    void shouldTakeOverAJarOfAWholeBuildThatBeganAfterTheLastEdit() throws Exception {
        script("mvnw", BUILD);
        Path own = root.resolve("loom-cli/target/run/loom.jar");
        dateAll(1_000);
        builtWhole(2_000, 3_000);
        assertEquals(0, run().exitCode());
        assertEquals("whole", Files.readString(own));
        assertFalse(Files.exists(root.resolve("log")), "it was built");
        assertEquals(0, run().exitCode());
        Object running = Files.getAttribute(own, "unix:ino");

        // an edit while that build ran
        date(root.resolve("loom-core/pom.xml"), 2_500);
        assertEquals(0, run().exitCode());
        assertEquals(List.of("built"), Files.readAllLines(root.resolve("log")));
        assertEquals("jar\n", Files.readString(own));
        assertNotEquals(running, Files.getAttribute(own, "unix:ino"), "a running command keeps its jar");
    }

    /** The build that began last goes on, has failed, or was killed: nobody knows what is in the jar. */
    @Test
    void shouldBuildWhereTheWholeBuildHasNotFinishedTheJar() throws Exception {
        script("mvnw", BUILD);
        dateAll(1_000);
        builtWhole(3_000, 2_000);
        assertEquals(0, run().exitCode());
        assertEquals(List.of("built"), Files.readAllLines(root.resolve("log")));
    }

    /** As by {@code ./mvnw -pl loom-cli package}, which leaves no marks, and may be packing yet. */
    @Test
    void shouldBuildWhereAnotherBuildHasWrittenIntoTheJar() throws Exception {
        script("mvnw", BUILD);
        dateAll(1_000);
        builtWhole(2_000, 3_000);
        date(root.resolve("loom-cli/target/loom.jar"), 4_000);
        assertEquals(0, run().exitCode());
        assertEquals(List.of("built"), Files.readAllLines(root.resolve("log")));
    }

    /** As by Ctrl-C, or a disk that is full. */
    @Test
    void shouldBuildAgainAfterABuildThatWasInterrupted() throws Exception {
        script("mvnw", "mkdir -p loom-cli/target/run\necho half >loom-cli/target/run/loom.jar.new\nexit 1\n");
        assertEquals(1, run().exitCode());
        script("mvnw", "echo built >>log\necho whole >loom-cli/target/run/loom.jar.new\n");
        assertEquals(0, run().exitCode());
        assertEquals(List.of("built"), Files.readAllLines(root.resolve("log")));
        assertEquals("whole\n", Files.readString(root.resolve("loom-cli/target/run/loom.jar")));
    }

    @Test
    void shouldGiveTheJvmAnEmptyInputInPlaceOfAClosedOne() throws Exception {
        built();
        script("jdk/bin/java", "if { true 3<&0; } 2>/dev/null; then cat; else echo closed; fi\n");
        script("without", "exec sh " + root.resolve("loom") + " import - <&-\n");
        script("with", "echo input | sh " + root.resolve("loom") + " import -\n");
        assertEquals("", output("without"));
        assertEquals("input\n", output("with"));
    }

    private String output(String script) throws Exception {
        ProcessBuilder builder = new ProcessBuilder("sh", root.resolve(script).toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("JAVA_HOME", root.resolve("jdk").toString());
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor());
        return output;
    }

    private static boolean archives(Result result) {
        return result.err().contains("loom: archiving classes, so that commands start faster");
    }

    private static boolean sharesWhatIsThere(Result result) {
        return shares(result) && !archives(result);
    }

    private static boolean shares(Result result) {
        assertEquals(0, result.exitCode(), result.toString());
        assertTrue(result.out().get(0).endsWith("loom.jar info"), result.toString());
        return result.out().get(0).contains(" -XX:SharedArchiveFile=");
    }
}
