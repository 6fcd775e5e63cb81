package dev.loom.otlp.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Message;
import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.Signal;
import dev.loom.otlp.wire.WireFailure;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares what is accepted and stored with what the official classes make of the same bytes. They refuse a whole request for
 * text that is not UTF-8, which here rejects its records alone. {@code -Dloom.otlp.rounds} sets how many requests, {@code
 * -Dloom.otlp.mutations} how many damaged ones, {@code -Dloom.test.seed} repeats a run.
 */
class IngestDifferentialTest {
    private static final List<Signal> SIGNALS = List.of(Signal.values());
    private static final int MUTATIONS_OF_ONE = 2_000;

    private final long seed = Long.getLong("loom.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final RandomMessages messages = new RandomMessages(random, false);
    private int accepted;
    private int refused;
    private int records;
    private int rejected;
    private int once;

    @TempDir
    Path folder;

    @Test
    void shouldAcceptAndStoreWhatTheOfficialClassesRead() throws IOException {
        System.out.println("IngestDifferentialTest: -Dloom.test.seed=" + seed);
        int rounds = Integer.getInteger("loom.otlp.rounds", 1_000);
        IngestSettings settings = IngestSettings.defaults().withContexts(64 * 1024, 8, 64 * 1024 * 1024);
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
        System.out.println("accepted=" + accepted + ", refused=" + refused + ", records=" + records
                + ", rejected for their text=" + rejected + ", fieldsOnce=" + once);
        assertTrue(
                accepted > rounds / 5
                        && refused > rounds / 5
                        && records > rounds
                        && rejected > 0
                        && once > rounds / 20
                        && once < records,
                "seed=" + seed);
    }

    @Test
    void shouldRefuseWhatTheOfficialClassesRefuseHoweverItIsDamaged() throws IOException {
        long mutations = Long.getLong("loom.otlp.mutations", 60_000);
        System.out.println("IngestDifferentialTest: -Dloom.test.seed=" + seed + " -Dloom.otlp.mutations=" + mutations);
        RequestCheck check = new RequestCheck();
        Set<WireFailure> expected = EnumSet.complementOf(EnumSet.of(WireFailure.INVALID_UTF8)); // it refuses no request
        Set<WireFailure> failures = EnumSet.noneOf(WireFailure.class);
        HostileRequest[] requests = new HostileRequest[8];
        Signal[] signals = new Signal[requests.length];
        long taken = 0;
        long takenWithInvalidText = 0;
        long sampledBytes = 0;
        try (IngestedStore store = new IngestedStore(folder, IngestSettings.defaults())) {
            for (long i = 0; i < mutations; i++) {
                int turn = (int) (i % requests.length);
                if (i / requests.length % MUTATIONS_OF_ONE == 0) {
                    signals[turn] = SIGNALS.get(random.nextInt(SIGNALS.size()));
                    requests[turn] = request(signals[turn]);
                }
                byte[] bytes = requests[turn].write(
                        1 + random.nextInt(3), requests[random.nextInt((int) Math.min(i + 1, requests.length))]);
                for (int j = random.nextInt(4) == 0 ? 1 + random.nextInt(2) : 0; j > 0; j--) {
                    bytes = messages.mutate(bytes);
                }
                boolean takes = check.accepts(signals[turn], new UnsafeBuffer(bytes), 0, bytes.length);
                Message type = OfficialRequests.type(signals[turn]);
                boolean official = OfficialRequests.accepts(type, bytes);
                boolean invalidText = takes && check.invalidText();
                if (takes != official || invalidText) {
                    String request = request(signals[turn], bytes);
                    assertEquals(OfficialRequests.parseAnyText(type, bytes) != null, takes, request);
                    assertEquals(takes && !official, invalidText, request);
                }
                taken += takes ? 1 : 0;
                takenWithInvalidText += invalidText ? 1 : 0;
                if (!takes && failures.size() < expected.size()) {
                    failures.add(failure(check));
                }
                if (i % 128 == 0) {
                    sampledBytes += bytes.length;
                    compare(store, signals[turn], bytes);
                }
            }
            System.out.println("row=R28 faults=" + mutations + " checked=" + mutations + " seed=" + seed);
            System.out.println("taken=" + taken + ", with invalid text=" + takenWithInvalidText
                    + ", stored and compared: requests=" + (accepted + refused) + ", bytes=" + sampledBytes
                    + ", records=" + records + ", heap bytes=" + store.allocatedBytes);
            assertEquals(expected, failures, "seed=" + seed);
            assertTrue(takenWithInvalidText > 0, "seed=" + seed);
            assertTrue(taken > mutations / 5 && taken < mutations * 4 / 5, "seed=" + seed + ", taken=" + taken);
            assertTrue(store.allocatedBytes < 2 * sampledBytes, "heap bytes=" + store.allocatedBytes);
        }
    }

    private HostileRequest request(Signal signal) throws IOException {
        Message type = OfficialRequests.type(signal);
        Message message;
        byte[] request;
        do {
            message = messages.message(type);
            request = messages.encode(message);
        } while (request.length < 20
                || request.length > 1_000
                || (random.nextInt(4) > 0 && OfficialRequests.stored(message).isEmpty()));
        return new HostileRequest(random, type.getDescriptorForType(), request);
    }

    private static WireFailure failure(RequestCheck check) {
        return Arrays.stream(WireFailure.values())
                .filter(failure -> check.complaint().contains(failure.text()))
                .findFirst()
                .orElseThrow();
    }

    private String request(Signal signal, byte[] request) {
        return "seed=" + seed + ", signal=" + signal + ", request="
                + HexFormat.of().formatHex(request, 0, Math.min(request.length, 4_000));
    }

    private void compare(IngestedStore store, Signal signal, byte[] request) throws IOException {
        String round = request(signal, request);
        Message official = OfficialRequests.parseAnyText(OfficialRequests.type(signal), request);
        ExportOutcome outcome = store.export(signal, request);
        List<IngestedStore.Stored> stored = store.unread(SourceDefinitions.defaultName(signal));
        if (official == null) {
            assertEquals(ExportOutcome.Status.MALFORMED, outcome.status(), round);
            assertTrue(stored.isEmpty(), round);
            refused++;
            return;
        }
        assertEquals(ExportOutcome.Status.ACCEPTED, outcome.status(), () -> outcome.message() + ": " + round);
        List<OfficialRequests.Stored> expected = new ArrayList<>(OfficialRequests.stored(official));
        int invalid = expected.size();
        expected.removeIf(OfficialRequests.Stored::marked);
        invalid -= expected.size();
        assertEquals(expected.size(), stored.size(), round);
        assertEquals(expected.size(), outcome.accepted(), round);
        assertTrue(outcome.rejected() >= invalid, round);
        rejected += invalid;
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
