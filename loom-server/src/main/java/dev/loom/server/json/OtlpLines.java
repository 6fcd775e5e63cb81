package dev.loom.server.json;

import dev.loom.api.Source;
import dev.loom.format.RecordLookup;
import dev.loom.otlp.Signal;
import dev.loom.otlp.export.OtlpBatch;
import dev.loom.otlp.export.RequestJson;
import dev.loom.query.TextSearch;
import dev.loom.query.trace.SpanReader;
import dev.loom.server.text.DataOutput;
import dev.loom.server.text.TextBuffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Makes requests of spans and log records as OTLP has them, each of one source. Records that came by OTLP are as they were sent; of
 * others there is what a trace takes of them. Memory: a request of 1 MiB and one record more, four times. For one thread.
 */
public final class OtlpLines {
    private static final int REQUEST_RECORDS = 8192;
    private static final int REQUEST_BYTES = 1 << 20;

    private final Sink out;
    /** What spans there were so far; null if those that were sent twice stay. */
    private final @Nullable SentOnce once;

    private @Nullable Request current;
    private long leftOut;

    /** Takes requests. */
    public interface Sink {
        /** Records that came by OTLP, as protobuf. */
        void protobuf(Signal signal, byte[] request);

        /** Records of another format: spans or log records, as OTLP/JSON. */
        void json(Map<String, Object> request);
    }

    /** @param out takes the requests as OTLP/JSON, a line each */
    public OtlpLines(DataOutput out) {
        this(new Lines(out), null);
    }

    /** @param out takes the requests; each span once, also if it came by OTLP and was sent again, the same to the bit */
    public OtlpLines(Sink out) {
        this(out, new SentOnce());
    }

    private OtlpLines(Sink out, @Nullable SentOnce once) {
        this.out = out;
        this.once = once;
    }

    private record Lines(DataOutput out) implements Sink {
        @Override
        public void protobuf(Signal signal, byte[] request) {
            try {
                printVisible(signal, request, out);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void json(Map<String, Object> request) {
            JsonResults.print(out, request);
        }
    }

    /** Writes a request as a line of OTLP/JSON, for people: hidden characters are escaped. */
    public static void printVisible(Signal signal, byte[] request, DataOutput out) throws IOException {
        ByteArrayOutputStream json = new ByteArrayOutputStream(request.length);
        RequestJson.write(signal, request, json);
        TextBuffer line = new TextBuffer(json.size() + 1);
        JsonText.putCompact(line, json.toByteArray(), 0, json.size());
        line.put('\n');
        out.write(line);
    }

    /** How many records can't be read, or their resource is lost. */
    public long leftOut() {
        return leftOut;
    }

    /** Takes the records of a source, after those of the one before are written. */
    public RecordPrinter printer(Source source) {
        deliver();
        Signal signal = OtlpBatch.signal(source.format());
        Request begun = signal == null ? new OtherRequest(source) : new OtlpRequest(signal);
        current = begun;
        return begun;
    }

    /** Writes the records so far. */
    public void deliver() {
        if (current != null) {
            current.deliver();
        }
    }

    /** Collects records of one source. */
    private abstract static class Request extends RecordPrinter {
        abstract void deliver();

        @Override
        public void flush() {
            // a request is delivered when it is full
        }
    }

    private final class OtlpRequest extends Request {
        private final Signal signal;
        private final OtlpBatch batch;

        OtlpRequest(Signal signal) {
            this.signal = signal;
            this.batch = new OtlpBatch(signal);
        }

        @Override
        public void print(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
            value.from(address);
            RecordLookup lookup = Objects.requireNonNull(value.lookup());
            boolean sentAgain = once != null && signal == Signal.TRACES && once.has(buffer, offset, length);
            if (sentAgain) {
                return;
            } else if (!batch.add(lookup, buffer, offset, length)) {
                leftOut++;
                return;
            } else if (once != null) {
                once.add();
            }
            if (batch.records() == REQUEST_RECORDS || batch.bytes() >= REQUEST_BYTES) {
                deliver();
            }
        }

        @Override
        void deliver() {
            if (batch.records() == 0) {
                return;
            }
            out.protobuf(signal, batch.request());
            batch.clear();
        }
    }

    /** Records of another format. */
    private final class OtherRequest extends Request {
        private final Source source;
        private final OtherSpans spans;
        private @Nullable SpanReader reader;

        OtherRequest(Source source) {
            this.source = source;
            this.spans = new OtherSpans(source.name());
        }

        @Override
        public void print(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
            SpanReader at = reader;
            if (at == null) {
                at = new SpanReader(source, Objects.requireNonNull(value.lookup()), TextSearch.field(source));
                reader = at;
            }
            at.wrap(address, buffer, offset, length);
            spans.add(at, address, timeNs);
            if (spans.records() == REQUEST_RECORDS / OtherSpans.TEXTS) {
                deliver();
            }
        }

        @Override
        void deliver() {
            spans.rows().forEach(out::json);
            spans.clear();
        }
    }
}
