package dev.loom.otlp.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.loom.otlp.server.HostileAttacks.Attack;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What good clients notice of those that mean harm: two that send steadily, by HTTP and by gRPC, are served all the time, and no
 * socket of the others is left. Server, good and hostile clients are a process each, the last with the least priority. Prints what
 * good requests took before and during each attack, the server's CPU time, and how soon all was as before; {@code
 * -Dloom.otlp.hostile=long} for times that say something, {@code -Dloom.otlp.attacks=REGEX} for some of the attacks.
 */
@Timeout(value = 20, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DisturbanceTest {
    private static final boolean LONG = "long".equals(System.getProperty("loom.otlp.hostile"));
    private static final long WARM_UP_NS = TimeUnit.MILLISECONDS.toNanos(LONG ? 20_000 : 200);
    private static final long ALONE_NS = TimeUnit.MILLISECONDS.toNanos(LONG ? 5_000 : 100);
    private static final long ATTACK_NS = TimeUnit.MILLISECONDS.toNanos(LONG ? 10_000 : 200);
    private static final List<Attack> ATTACKS = Arrays.stream(Attack.values())
            .filter(attack -> attack.name().matches(System.getProperty("loom.otlp.attacks", ".*")))
            .toList();
    private static final int BOMB_MIB = LONG ? 1024 : 64;
    private static final long TICK_NS = 10_000_000;

    @TempDir
    private Path folder;

    private final List<SteadyClient> clients = new ArrayList<>();
    private Peer server;
    private Peer attacks;

    /** A process that is told lines and answers by lines. */
    private record Peer(Process process, BufferedReader output) {
        String ask(String line) throws IOException {
            process.getOutputStream().write((line + '\n').getBytes(StandardCharsets.US_ASCII));
            process.getOutputStream().flush();
            return output.readLine();
        }

        void end() throws Exception {
            process.getOutputStream().close();
            assertEquals(0, process.waitFor());
        }
    }

    /** CPU time of the server and of all of the machine, at one moment. */
    private record Usage(long atNs, long serverNs, long machineNs) {}

    @BeforeEach
    void start() throws Exception {
        server = start(List.of("-Xmx64m", "-Xms64m", "-XX:+AlwaysPreTouch"), HostileServer.class.getName());
        String port = server.output.readLine();
        attacks = start(
                List.of("-Xmx512m", "-XX:+UseSerialGC"),
                HostileAttacks.class.getName(),
                port,
                Integer.toString(BOMB_MIB));
        assertEquals("ready", attacks.output.readLine());
        clients.add(SteadyClient.http(Integer.parseInt(port)));
        clients.add(SteadyClient.grpc(Integer.parseInt(port)));
    }

    private Peer start(List<String> options, String... main) throws IOException {
        List<String> command = new ArrayList<>();
        if (main[0].equals(HostileAttacks.class.getName())) {
            command.addAll(List.of("nice", "-n", "19"));
        }
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        if (Runtime.version().feature() >= 24) {
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(main));
        Process process = new ProcessBuilder(command)
                .redirectError(folder.resolve(main[0]).toFile())
                .start();
        return new Peer(
                process,
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII)));
    }

    @AfterEach
    void stop() throws Exception {
        for (SteadyClient client : clients) {
            client.stop();
        }
        attacks.end();
        server.end();
        try (Stream<Path> said = Files.list(folder)) {
            for (Path file : said.toList()) {
                assertEquals("", Files.readString(file), file.toString());
            }
        }
    }

    @Test
    void shouldServeOthersAllTheTimeAndLeaveNoSockets() throws Exception {
        awaitServed(WARM_UP_NS);
        if (LONG) {
            for (Attack attack : ATTACKS) {
                assertEquals("begun", attacks.ask(attack.name()));
                awaitServed(TimeUnit.SECONDS.toNanos(3));
                attacks.ask("");
            }
        }
        int socketsBefore = sockets();
        print(
                "attack, hostile clients' connections/s",
                "HTTP: p50, p99, max ms",
                "gRPC: p50, p99, max ms",
                "told later, cut off",
                "server's CPU",
                "machine's CPU",
                "as before after, ms",
                "sockets gone after, ms");
        for (Attack attack : ATTACKS) {
            measure(attack, socketsBefore);
        }
        for (String row : List.of("R29", "R31")) {
            System.out.println("row=" + row + " faults=" + ATTACKS.size() + " checked=" + ATTACKS.size() + " seed=0");
        }
    }

    private void measure(Attack attack, int socketsBefore) throws Exception {
        Usage start = usage();
        awaitServed(ALONE_NS);
        Usage begin = usage();
        long refused = clients.stream().mapToLong(SteadyClient::refused).sum();
        long cutOff = clients.stream().mapToLong(SteadyClient::reconnected).sum();
        assertEquals("begun", attacks.ask(attack.name()));
        awaitServed(ATTACK_NS);
        Usage end = usage();
        double rate = Long.parseLong(attacks.ask("")) / ((end.atNs - begin.atNs) / 1e9);
        while (sockets() != socketsBefore) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
        long goneNs = System.nanoTime() - end.atNs;
        print("none", latencies(start, begin), "", cpu(start, begin), "", "");
        print(
                String.format(
                        Locale.ROOT,
                        "%s, %.0f",
                        attack.name().toLowerCase(Locale.ROOT).replace('_', ' '),
                        rate),
                latencies(begin, end),
                clients.stream().mapToLong(SteadyClient::refused).sum() - refused + ", "
                        + (clients.stream().mapToLong(SteadyClient::reconnected).sum() - cutOff),
                cpu(begin, end),
                LONG ? ms(recoveryNs(start, begin, end)) : "",
                ms(goneNs));
    }

    /** Lets time pass, and at least ten requests of each good client. */
    private void awaitServed(long ns) {
        long from = System.nanoTime();
        while (System.nanoTime() - from < ns
                || clients.stream()
                        .anyMatch(client -> client.latenciesNs(from, from + Long.MAX_VALUE / 2).length < 10)) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    private long recoveryNs(Usage start, Usage begin, Usage end) {
        long longest = 0;
        for (SteadyClient client : clients) {
            long within = 2 * quantile(client.latenciesNs(start.atNs, begin.atNs), 0.99);
            long recovery = client.recoveryNs(end.atNs, within);
            while (recovery < 0) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
                recovery = client.recoveryNs(end.atNs, within);
            }
            longest = Math.max(longest, recovery);
        }
        return longest;
    }

    private String latencies(Usage from, Usage to) {
        List<String> texts = new ArrayList<>();
        for (SteadyClient client : clients) {
            long[] sorted = client.latenciesNs(from.atNs, to.atNs);
            texts.add(ms(quantile(sorted, 0.5)) + ", " + ms(quantile(sorted, 0.99)) + ", "
                    + ms(sorted[sorted.length - 1]));
        }
        return String.join(" | ", texts);
    }

    private static long quantile(long[] sorted, double q) {
        return sorted[Math.min(sorted.length - 1, (int) (q * sorted.length))];
    }

    private static String ms(long ns) {
        return String.format(Locale.ROOT, "%.2f", ns / 1e6);
    }

    /** Cores' worth. */
    private static String cpu(Usage from, Usage to) {
        double ns = to.atNs - from.atNs;
        return String.format(
                Locale.ROOT, "%.2f | %.2f", (to.serverNs - from.serverNs) / ns, (to.machineNs - from.machineNs) / ns);
    }

    private static void print(String... cells) {
        System.out.println("| " + String.join(" | ", cells) + " |");
    }

    private Usage usage() throws IOException {
        String stat = Files.readString(Path.of("/proc/" + server.process.pid() + "/stat"));
        long[] own = numbers(stat.substring(stat.lastIndexOf(')') + 3));
        long[] all = numbers(Files.readAllLines(Path.of("/proc/stat")).get(0));
        long idleAndWaiting = all[3] + all[4];
        return new Usage(
                System.nanoTime(),
                (own[10] + own[11]) * TICK_NS,
                (Arrays.stream(all).limit(8).sum() - idleAndWaiting) * TICK_NS);
    }

    /** The first twelve. */
    private static long[] numbers(String line) {
        return Arrays.stream(line.trim().split("\\s+"))
                .filter(word -> word.matches("-?\\d+"))
                .limit(12)
                .mapToLong(Long::parseLong)
                .toArray();
    }

    private int sockets() {
        try (Stream<Path> files = Files.list(Path.of("/proc/" + server.process.pid() + "/fd"))) {
            return (int) files.filter(DisturbanceTest::isSocket).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isSocket(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
        } catch (IOException e) {
            return false; // closed meanwhile
        }
    }
}
