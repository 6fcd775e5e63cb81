package dev.loom.cli.export;

import dev.loom.api.Source;
import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.format.RecordLookup;
import dev.loom.otlp.Signal;
import dev.loom.otlp.export.OtlpBatch;
import dev.loom.server.json.RecordPrinter;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Records that came by OTLP, as requests of many records of one source. Memory: some four requests, each of 1 MiB and one record
 * more at most.
 */
final class OtlpForm extends RecordForm {
    /** A request with as many records, or bytes, is delivered. */
    static final int REQUEST_RECORDS = 8192;

    private static final int REQUEST_BYTES = 1 << 20;

    private final Console console;
    private final OtlpSink sink;
    private final @Nullable RestCommands rest;
    private final List<Source> sources = new ArrayList<>();
    private @Nullable OtlpPrinter current;
    private long delivered;
    private long unreadable;

    /** @param rest says how an export goes on that ends early; null if nobody acknowledges records */
    OtlpForm(Console console, OtlpSink sink, @Nullable RestCommands rest) {
        this.console = console;
        this.sink = sink;
        this.rest = rest;
    }

    @Override
    String kind() {
        return "OTLP records";
    }

    @Override
    boolean takes(Source source) {
        return OtlpBatch.signal(source.format()) != null;
    }

    @Override
    void begin(List<Source> all) {
        long signals = all.stream()
                .map(source -> OtlpBatch.signal(source.format()))
                .distinct()
                .count();
        if (sink.hasOneSignal() && signals > 1) {
            throw CommandFailure.usage(
                    "a file of OTLP has either logs, spans or metrics; name the sources with --source: "
                            + all.stream().map(Source::name).collect(Collectors.joining(", ")));
        }
        sources.addAll(all);
    }

    @Override
    RecordPrinter printer(Source source) {
        deliverCurrent();
        current = new OtlpPrinter(source, Objects.requireNonNull(OtlpBatch.signal(source.format())));
        return current;
    }

    private void deliverCurrent() {
        if (current != null) {
            current.deliver();
        }
    }

    @Override
    long finish() {
        deliverCurrent();
        if (rest != null && console.interruption().requested()) {
            console.say(soFar(rest));
        } else if (rest != null) {
            console.say("acknowledged: records=" + (delivered - rejected())
                    + (rejected() > 0 ? ", rejected=" + rejected() : ""));
        }
        if (unreadable > 0) {
            console.warn("records that can't be read, or whose resource is lost, are left out: records=" + unreadable);
        }
        return unreadable + rejected();
    }

    /** No more than were delivered, whatever a receiver says. */
    private long rejected() {
        return Math.min(sink.rejected(), delivered);
    }

    /** What is acknowledged, and the commands that export the rest. */
    private String soFar(RestCommands commands) {
        OtlpPrinter at = current;
        List<Source> later = at == null ? sources : sources.subList(sources.indexOf(at.source) + 1, sources.size());
        List<String> left = new ArrayList<>();
        if (at != null) {
            left.add(
                    at.restNs == Long.MIN_VALUE
                            ? commands.of(List.of(at.source))
                            : commands.of(List.of(at.source), at.restNs));
        }
        if (!later.isEmpty()) {
            left.add(commands.of(later));
        }
        return "acknowledged: records=" + (delivered - rejected()) + "; the rest: " + String.join("; ", left);
    }

    /** Collects the records of one source. */
    private final class OtlpPrinter extends RecordPrinter {
        private final Source source;
        private final Signal signal;
        private final OtlpBatch batch;
        /** Time of the first record that is not acknowledged, or of one shortly before; the least if there was none. */
        private long restNs = Long.MIN_VALUE;

        private long lastNs = Long.MIN_VALUE;

        private OtlpPrinter(Source source, Signal signal) {
            this.source = source;
            this.signal = signal;
            this.batch = new OtlpBatch(signal);
        }

        @Override
        public void print(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
            if (console.interruption().requested()) {
                return;
            }
            if (batch.records() == 0) {
                restNs = timeNs;
            }
            lastNs = timeNs;
            value.from(address);
            RecordLookup lookup = Objects.requireNonNull(value.lookup());
            if (!batch.add(lookup, buffer, offset, length)) {
                unreadable++;
            } else if (batch.records() == REQUEST_RECORDS || batch.bytes() >= REQUEST_BYTES) {
                deliver();
            }
        }

        private void deliver() {
            if (batch.records() == 0 || console.interruption().requested()) {
                return;
            }
            try {
                if (sink.deliver(signal, batch.request())) {
                    delivered += batch.records();
                    batch.clear();
                    restNs = lastNs;
                }
            } catch (CommandFailure e) {
                throw rest != null ? new CommandFailure(e.exitCode(), e.getMessage() + "; " + soFar(rest), e) : e;
            }
        }

        @Override
        public void flush() {
            // a request is delivered when it is full
        }
    }
}
