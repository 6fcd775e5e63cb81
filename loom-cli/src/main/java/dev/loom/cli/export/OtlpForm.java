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
    private final boolean acknowledged;
    private final List<Source> sources = new ArrayList<>();
    private @Nullable OtlpPrinter current;
    private long delivered;
    private long unreadable;

    /** @param acknowledged whether somebody acknowledges records, so that it is to be told up to where */
    OtlpForm(Console console, OtlpSink sink, boolean acknowledged) {
        this.console = console;
        this.sink = sink;
        this.acknowledged = acknowledged;
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
        if (acknowledged && console.interruption().requested()) {
            console.say(soFar());
        } else if (acknowledged) {
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

    /** What is acknowledged, and with which options an export goes on from there. */
    private String soFar() {
        String text = "acknowledged: records=" + (delivered - rejected());
        OtlpPrinter at = current;
        if (at == null) {
            return text;
        }
        String later = sources.stream()
                .skip(sources.indexOf(at.source) + 1L)
                .map(OtlpForm::option)
                .collect(Collectors.joining());
        return text + "; the rest:" + option(at.source)
                + (at.restNs == Long.MIN_VALUE ? "" : " --from " + at.restNs)
                + (later.isEmpty() ? "" : ", then" + later);
    }

    /** Of a source whose name another one may have taken, by its id. */
    private static String option(Source source) {
        return " --source '" + (source.closed() ? "#" + source.id() : source.name()) + "'";
    }

    /** Collects the records of one source. */
    private final class OtlpPrinter extends RecordPrinter {
        private final Source source;
        private final Signal signal;
        private final OtlpBatch batch;
        /** Time of the first record that is not acknowledged, or of one shortly before; the least if there was none. */
        private long restNs = Long.MIN_VALUE;

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
                }
            } catch (CommandFailure e) {
                throw acknowledged ? new CommandFailure(e.exitCode(), e.getMessage() + "; " + soFar(), e) : e;
            }
        }

        @Override
        public void flush() {
            // a request is delivered when it is full
        }
    }
}
