package dev.loom.otlp.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.Signal;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares what is accepted and stored with what the official classes make of the same bytes. {@code -Dloom.otlp.rounds} sets
 * how many requests, {@code -Dloom.test.seed} repeats a run.
 */
class IngestDifferentialTest {
    private static final List<Signal> SIGNALS = List.of(Signal.values());

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final RandomMessages messages = new RandomMessages(random, false);
    private int accepted;
    private int refused;
    private int records;
    private int once;

    @TempDir
    Path folder;

    @Test
    void shouldAcceptAndStoreWhatTheOfficialClassesRead() throws InvalidProtocolBufferException {
        System.out.println("IngestDifferentialTest: -Dloom.test.seed=" + seed);
        int rounds = Integer.getInteger("loom.otlp.rounds", 1_000);
        IngestSettings settings = IngestSettings.defaults().withContexts(64 * 1024, 8, 70_000);
        try (IngestedStore store = new IngestedStore(folder, settings)) {
            for (int i = 0; i < rounds; i++) {
                Signal signal = SIGNALS.get(random.nextInt(SIGNALS.size()));
                byte[] request = messages.encode(messages.message(OfficialRequests.type(signal)));
                for (int j = Math.max(0, random.nextInt(9) - 2); j > 0; j--) {
                    request = messages.mutate(request);
                }
                compare(store, signal, request);
                Message official = OfficialRequests.parse(OfficialRequests.type(signal), request);
                if (official != null && random.nextBoolean()) {
                    compare(store, signal, official.toByteArray()); // each field once, as clients send them
                }
            }
        }
        System.out.println(
                "accepted=" + accepted + ", refused=" + refused + ", records=" + records + ", fieldsOnce=" + once);
        assertTrue(
                accepted > rounds / 5
                        && refused > rounds / 5
                        && records > rounds
                        && once > rounds / 20
                        && once < records,
                "seed=" + seed);
    }

    private void compare(IngestedStore store, Signal signal, byte[] request) throws InvalidProtocolBufferException {
        String round = "seed=" + seed + ", signal=" + signal + ", request="
                + HexFormat.of().formatHex(request, 0, Math.min(request.length, 4_000));
        Message official = OfficialRequests.parse(OfficialRequests.type(signal), request);
        ExportOutcome outcome = store.export(signal, request);
        List<IngestedStore.Stored> stored = store.unread(SourceDefinitions.defaultName(signal));
        if (official == null) {
            assertEquals(ExportOutcome.Status.MALFORMED, outcome.status(), round);
            assertTrue(stored.isEmpty(), round);
            refused++;
            return;
        }
        assertEquals(ExportOutcome.Status.ACCEPTED, outcome.status(), () -> outcome.message() + ": " + round);
        List<OfficialRequests.Stored> expected = OfficialRequests.stored(official);
        assertEquals(expected.size(), stored.size(), round);
        assertEquals(expected.size(), outcome.accepted(), round);
        for (int i = 0; i < stored.size(); i++) {
            Message record = expected.get(i).record();
            Message context = expected.get(i).context();
            if (stored.get(i).fieldsOnce()) {
                once++;
                assertFalse(
                        OfficialRequests.repeats(
                                record.getDescriptorForType(), stored.get(i).message()),
                        round);
            }
            assertEquals(
                    record, record.getParserForType().parseFrom(stored.get(i).message()), round);
            assertEquals(
                    context, context.getParserForType().parseFrom(stored.get(i).context()), round);
        }
        accepted++;
        records += stored.size();
    }
}
