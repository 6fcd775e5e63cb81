package dev.loom.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of {@code docs} that are made for others' tools, and the settings that the guide shows. */
final class ServiceFilesTest {
    private static final Path DOCS = Path.of("../docs");

    @TempDir
    Path temp;

    @Test
    void shouldBeAUnitThatSystemdTakes() throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String unit = Files.readString(DOCS.resolve("examples/sidecar/loom.service"));
        assertTrue(unit.contains("ExecStart=/usr/bin/java "));
        Path file = Files.writeString(temp.resolve("loom.service"), unit.replace("/usr/bin/java", java));
        Process verify;
        try {
            verify = new ProcessBuilder("systemd-analyze", "verify", "--man=no", file.toString())
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            assumeTrue(false, "no systemd-analyze");
            return;
        }
        String said = new String(verify.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, verify.waitFor(), said);
        assertTrue(said.lines().noneMatch(line -> line.contains("loom.service")), said);
    }

    /** Cleans a root of its own, in which staging is old, at boot and otherwise. */
    @Test
    void shouldKeepStagingInMemoryAndRemoveThatOnADiskAtBootOnly() throws Exception {
        Path memory = Files.createDirectories(temp.resolve("root/dev/shm/loom-1-2"));
        Path disk = Files.createDirectories(temp.resolve("root/var/lib/loom/staging/loom-1-2"));
        Files.createFile(disk.resolve("live"));
        Path rules = Files.writeString(
                temp.resolve("loom.conf"),
                Files.readString(DOCS.resolve("examples/sidecar/loom.tmpfiles")) + "d /dev/shm 1777 - - 0\n");
        Path other = Files.createDirectory(temp.resolve("root/dev/shm/other"));
        tmpfiles(rules, "--clean");
        assertTrue(Files.notExists(other), "it cleans nothing");
        assertTrue(Files.exists(memory));
        tmpfiles(rules, "--remove");
        assertTrue(Files.exists(disk));
        tmpfiles(rules, "--remove", "--boot");
        assertTrue(Files.exists(memory));
        assertTrue(Files.notExists(disk));
    }

    private void tmpfiles(Path rules, String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of("systemd-tmpfiles", "--root=" + temp.resolve("root")));
        command.addAll(List.of(options));
        command.add(rules.toString());
        Process run;
        try {
            run = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            assumeTrue(false, "no systemd-tmpfiles");
            return;
        }
        String said = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, run.waitFor(), said);
    }

    @Test
    void shouldKnowAllSettingsOfTheGuide() throws IOException {
        String guide = Files.readString(DOCS.resolve("sidecar.md"));
        int from = guide.indexOf("```yaml\n") + "```yaml\n".length();
        String yaml = guide.substring(from, guide.indexOf("```", from));
        Path file = Files.writeString(temp.resolve("loom.yaml"), yaml);
        ServerSettings settings = ServerSettings.read(file, Map.of(), Map.of()).build();
        assertEquals(
                "unix:/run/loom/ingest.sock", settings.ingest().orElseThrow().toString());
        assertEquals(new QueryPool.Limits(8, 64, Duration.ofSeconds(30), 8), settings.queries);
        assertEquals(64 << 20, settings.otlp.budgetLength());
    }

    /** Beside the first sidecar, so with other ports. */
    @Test
    void shouldServeASecondStoreByTheSettingsForIt() throws IOException {
        ServerSettings first = settings("loom.yaml");
        ServerSettings second = settings("long.yaml");
        Set<String> endpoints = new HashSet<>();
        for (ServerSettings each : List.of(first, second)) {
            endpoints.add(each.otlpGrpc().orElseThrow().toString());
            endpoints.add(each.otlpHttp().orElseThrow().toString());
            endpoints.add(each.api().orElseThrow().toString());
        }
        assertEquals(6, endpoints.size(), endpoints::toString);
        assertTrue(second.ingest().orElseThrow().isLocal());
    }

    private ServerSettings settings(String example) throws IOException {
        return ServerSettings.read(
                        DOCS.resolve("examples/sidecar").resolve(example),
                        Map.of(),
                        Map.of("store.directory", temp.toString()))
                .build();
    }

    @Test
    void shouldServeThisMachineByTheSettingsOfTheImage() throws IOException {
        ServerSettings settings = settings("loom.yaml");
        assertTrue(settings.otlpGrpc().orElseThrow().isLocal());
        assertTrue(settings.otlpHttp().orElseThrow().isLocal());
        assertTrue(settings.api().orElseThrow().isLocal());
        String image = Files.readString(DOCS.resolve("examples/sidecar/Containerfile"));
        assertTrue(image.contains("COPY docs/examples/sidecar/loom.yaml /etc/loom/loom.yaml\n"), image);
    }

    @Test
    void shouldWaitBeforeItStartsAgainAndBoundItsMemory() throws IOException {
        String unit = Files.readString(DOCS.resolve("examples/sidecar/loom.service"));
        for (String setting : new String[] {"RestartSec=5", "StartLimitBurst=10", "MemoryMax=1G"}) {
            assertTrue(unit.contains('\n' + setting + '\n'), setting);
        }
    }
}
