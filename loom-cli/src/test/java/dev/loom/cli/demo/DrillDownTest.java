package dev.loom.cli.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintStream;
import java.net.ProtocolException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DrillDownTest {
    private static final WorkloadPlan PLAN = WorkloadPlan.counted(1, 1, 2, Duration.ofMillis(250), 1_000);

    private static final CliRow LATENCY =
            new CliRow("{\"count\":1000,\"max\":253000000,\"percentiles\":{\"99.99\":253000000}}");

    private final StoryFixture story = new StoryFixture();
    private final Deque<List<CliRow>> answers = new ArrayDeque<>();
    private final List<String> commands = new ArrayList<>();

    @Test
    void shouldGoFromTheSlowestRequestToTheLastPacketOfTheConnectionThatWaited() throws ProtocolException {
        CliRow slowest = story.requests.get(1);
        CliRow itsWait = story.waits.get(1);
        answers.add(sources());
        answers.add(List.of(slowest));
        answers.add(List.of());
        answers.add(List.of(LATENCY));
        answers.add(story.requests);
        answers.add(List.of(itsWait));
        answers.add(List.of(story.packets.get(1)));
        answers.add(story.waits);
        answers.add(story.packets);

        Findings findings = drillDown();

        assertEquals(story.findings().records(), findings.records());
        assertEquals(story.requests.toString(), findings.slowRequests().toString());
        assertEquals(story.waits.toString(), findings.longWaits().toString());
        assertEquals(story.packets.toString(), findings.badPackets().toString());
        assertEquals(
                List.of(
                        "sources --dir /d -o json",
                        "scan --dir /d -o json requests --limit 3",
                        "hist --dir /d -o table requests latency_ns",
                        "agg --dir /d -o json requests latency_ns --percentile 50,99,99.99",
                        "scan --dir /d -o json requests --where latency_ns >= 125ms",
                        "correlate --dir /d -o json requests latency_ns --above " + (253 * StoryFixture.MS - 1)
                                + " --with socket_ops --overlap latency_ns,latency_ns",
                        "correlate --dir /d -o json socket_ops latency_ns --above " + (252 * StoryFixture.MS - 1)
                                + " --with packets --before 302ms",
                        "scan --dir /d -o json socket_ops --where latency_ns >= 125ms",
                        "scan --dir /d -o json packets --where frame_length > 255"),
                commands);
        assertTrue(story.text().contains("[00 00 01 2d] 01"), story::text);
        assertTrue(story.text().contains("announces 301 bytes"), story::text);
        assertTrue(story.text().contains("$ loom scan --dir /d -o json packets --where 'frame_length > 255'"));
    }

    @Test
    void shouldTakeTheNextSlowestWhenNothingExplainsTheSlowest() throws ProtocolException {
        CliRow stalled = StoryFixture.request(5, 900, 400);
        story.requests.add(stalled);
        answers.add(sources());
        answers.add(List.of(stalled));
        answers.add(List.of());
        answers.add(List.of(LATENCY));
        answers.add(story.requests);
        answers.add(List.of());
        answers.add(List.of(story.waits.get(1)));
        answers.add(List.of(story.packets.get(1)));
        answers.add(story.waits);
        answers.add(story.packets);

        drillDown();

        assertTrue(story.text().contains("Nothing on the wire explains this one."), story::text);
        assertTrue(story.text().contains("[00 00 01 2d] 01"), story::text);
    }

    @Test
    void shouldNotBlameAPacketThatIsWhole() throws ProtocolException {
        CliRow stalled = StoryFixture.request(5, 900, 400);
        story.requests.add(stalled);
        answers.add(sources());
        answers.add(List.of(stalled));
        answers.add(List.of());
        answers.add(List.of(LATENCY));
        answers.add(story.requests);
        answers.add(List.of(StoryFixture.wait(40003, 880, 380, 22)));
        answers.add(List.of(StoryFixture.packet(40003, 870, 5, 18)));
        answers.add(List.of(story.waits.get(1)));
        answers.add(List.of(story.packets.get(1)));
        answers.add(story.waits);
        answers.add(story.packets);

        drillDown();

        assertTrue(story.text().contains("all of its own"), story::text);
        assertTrue(story.text().contains("announces 301 bytes"), story::text);
    }

    @Test
    void shouldFailWithTheErrorOfACommandThatFails() {
        CliRunner failing = (out, err, args) -> {
            err.println("store is missing: dir=/d");
            return 3;
        };
        CliSession session = new CliSession(failing, story.narrator, Path.of("/d"));
        IllegalStateException failure = assertThrows(IllegalStateException.class, () -> session.run("sources"));
        assertTrue(failure.getMessage().contains("store is missing"), failure::getMessage);
        assertTrue(failure.getMessage().contains("exitCode=3"), failure::getMessage);
    }

    private Findings drillDown() throws ProtocolException {
        CliSession session = new CliSession(this::answer, story.narrator, Path.of("/d"));
        Findings findings = new DrillDown(session, story.narrator, PLAN).run();
        assertTrue(answers.isEmpty());
        return findings;
    }

    private int answer(PrintStream out, PrintStream err, String... args) {
        commands.add(String.join(" ", args));
        answers.remove().forEach(out::println);
        return 0;
    }

    private static List<CliRow> sources() {
        List<CliRow> rows = new ArrayList<>();
        StoryFixture.recorded()
                .forEach((source, records) ->
                        rows.add(new CliRow("{\"name\":\"" + source.sourceName() + "\",\"records\":" + records + '}')));
        return rows;
    }
}
