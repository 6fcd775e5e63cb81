package dev.loom.server.loki;

import dev.loom.api.Snapshot;
import dev.loom.api.Source;
import dev.loom.format.RecordLookup;
import dev.loom.query.model.Completeness;
import dev.loom.query.model.EventClock;
import dev.loom.query.model.TimeRange;
import dev.loom.query.service.QueryLimits;
import dev.loom.query.service.ResultHandler;
import dev.loom.query.service.SourceClock;
import dev.loom.query.service.TailRequest;
import dev.loom.server.http.ApiFailure;
import dev.loom.server.http.HttpCall;
import dev.loom.server.http.StoreQueries;
import dev.loom.server.loki.LogQl.Selection;
import dev.loom.server.loki.LokiSession.Selected;
import dev.loom.server.text.TextBuffer;
import dev.loom.server.time.EpochTime;
import dev.loom.server.time.EventTime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** Follows the lines of one source over a web socket: {@code tail}. Usable from any thread. */
final class LokiTail {
    private static final int MESSAGE_BYTES = 64 << 10;

    private final StoreQueries queries;

    LokiTail(StoreQueries queries) {
        this.queries = queries;
    }

    /**
     * Sends the last lines, oldest first, and then those that arrive.
     *
     * @throws ApiFailure before the first message, if the request is refused
     */
    void answer(HttpCall call) throws IOException {
        LokiParameters in = new LokiParameters(call);
        String query = in.query();
        Selection selection = LogQlParser.parseSelection(query);
        int lines = in.limit("limit", LokiLimits.LINES_DEFAULT, LokiLimits.LINES_MAX);
        Long startNs = in.startNs();
        queries.run(call::cancelled, session -> {
            session.read((store, snapshot) -> only(query, snapshot, selection)); // refuses before the answer begins
            Following following =
                    new Following(call.beginMessages(), LokiQueries.apart(call), startNs == null ? 0 : startNs);
            return session.service()
                    .tail(
                            session.stores(),
                            snapshot -> {
                                Selected source = only(query, snapshot, selection);
                                following.source = new LineReader(source.of());
                                following.clock = source.of().eventTime()
                                        ? EventTime.clock(source.of().source())
                                        : null;
                                return new TailRequest(
                                        source.of().source(),
                                        source.condition().terms(),
                                        lines,
                                        true,
                                        QueryLimits.NONE);
                            },
                            following);
        });
    }

    private static Selected only(String query, Snapshot snapshot, Selection selection) {
        // of a name that was defined again only the last one gets lines
        List<Selected> sources = snapshot.sources().stream()
                .filter(source -> LokiSession.isLast(snapshot, source))
                .flatMap(source -> LokiSession.select(query, snapshot, source, selection).stream())
                .toList();
        if (sources.size() != 1) {
            throw ApiFailure.badRequest("a tail follows one source: selected="
                    + sources.stream().map(each -> each.of().source().name()).toList()
                    + "; name it, as in {source=\"...\"}");
        }
        sources.get(0).records(TimeRange.ALL); // its conditions hold for the source
        return sources.get(0);
    }

    /** Sends lines as they are found. For one thread. */
    private static final class Following implements ResultHandler {
        private final HttpCall.Messages messages;
        private final boolean apart;
        private final long startNs;
        private final TextBuffer text = new TextBuffer(1024);
        private @Nullable LineReader source;
        private @Nullable SourceClock clock;
        private @Nullable RecordLookup lookup;
        private Map<String, String> labels = Map.of();
        /** The time of the last line; until there is one, when the tail began. */
        private long lastNs = EpochTime.of(Instant.now());

        Following(HttpCall.Messages messages, boolean apart, long startNs) {
            this.messages = messages;
            this.apart = apart;
            this.startNs = startNs;
        }

        @Override
        public void onBegin(Source of) {
            labels = Map.of(Streams.SOURCE, of.name());
        }

        @Override
        public void onLookup(RecordLookup found) {
            lookup = found;
            if (source != null) {
                source.lookup(found);
            }
        }

        @Override
        public void onRecord(long arrivedNs, long address, DirectBuffer buffer, int offset, int length) {
            LineReader reader = Objects.requireNonNull(source);
            reader.from(address);
            long timeNs = arrivedNs;
            if (clock != null && lookup != null) {
                lookup.from(address);
                long eventNs = clock.epochNs(lookup, buffer, offset, length);
                timeNs = eventNs == EventClock.NONE ? arrivedNs : eventNs;
            }
            lastNs = timeNs;
            if (timeNs < startNs) {
                return;
            }
            LogLine line = new LogLine(
                    timeNs,
                    0,
                    address,
                    reader.labels(buffer, offset, length),
                    reader.line(buffer, offset, length),
                    reader.members(),
                    reader.fields(buffer, offset, length));
            text.put(text.length() == 0 ? "{\"streams\":[" : ",");
            LokiJson.putStream(text, LogQuery.labels(line, apart), List.of(line), apart, () -> {});
            if (text.length() > MESSAGE_BYTES) {
                send();
            }
        }

        private void send() {
            if (text.length() > 0) {
                // clients take it for what the message before said if this one says nothing
                text.put("],\"dropped_entries\":[");
                end();
            }
        }

        /** A message of its own, as clients show the lines of a message first. Which streams lack lines is not known. */
        @Override
        public void onMissing(Completeness missing) {
            send();
            text.put("{\"streams\":[],\"dropped_entries\":[{\"timestamp\":\"");
            text.putLong(lastNs);
            text.put("\",\"labels\":");
            LokiJson.putLabels(text, labels);
            text.put('}');
            end();
        }

        private void end() {
            text.put(apart ? "],\"encodingFlags\":[\"categorize-labels\"]}" : "]}");
            try {
                messages.send(text);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void onFlush() {
            send();
        }
    }
}
