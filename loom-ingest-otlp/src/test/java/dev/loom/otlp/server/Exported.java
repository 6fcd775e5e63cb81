package dev.loom.otlp.server;

import dev.loom.otlp.ExportHandler;
import dev.loom.otlp.ExportOutcome;
import dev.loom.otlp.Signal;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;

/** Keeps what was exported, read by the official generated classes; its answer can be set. */
final class Exported implements ExportHandler {
    final List<ExportLogsServiceRequest> logs = new CopyOnWriteArrayList<>();
    final List<ExportTraceServiceRequest> traces = new CopyOnWriteArrayList<>();
    final List<ExportMetricsServiceRequest> metrics = new CopyOnWriteArrayList<>();
    volatile Consumer<ExportOutcome> answer = outcome -> {};

    @Override
    public void export(Signal signal, DirectBuffer message, int offset, int length, ExportOutcome outcome) {
        ByteBuffer copy = ByteBuffer.allocate(length);
        message.getBytes(offset, copy, length);
        copy.flip();
        try {
            switch (signal) {
                case LOGS -> logs.add(ExportLogsServiceRequest.parseFrom(copy));
                case TRACES -> traces.add(ExportTraceServiceRequest.parseFrom(copy));
                case METRICS -> metrics.add(ExportMetricsServiceRequest.parseFrom(copy));
            }
            outcome.accepted(1);
            answer.accept(outcome);
        } catch (com.google.protobuf.InvalidProtocolBufferException e) {
            outcome.malformed("not protobuf: " + e.getMessage());
        }
    }
}
