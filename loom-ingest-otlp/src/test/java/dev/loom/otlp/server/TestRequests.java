package dev.loom.otlp.server;

import io.airlift.compress.zstd.ZstdCompressor;
import io.opentelemetry.proto.collector.logs.v1.ExportLogsServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import io.opentelemetry.proto.logs.v1.ScopeLogs;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** Requests, and their compressed forms. */
final class TestRequests {
    private TestRequests() {}

    static ExportLogsServiceRequest logs(String body, int count) {
        LogRecord logRecord = LogRecord.newBuilder()
                .setBody(AnyValue.newBuilder().setStringValue(body))
                .build();
        ScopeLogs.Builder scope = ScopeLogs.newBuilder();
        for (int i = 0; i < count; i++) {
            scope.addLogRecords(logRecord);
        }
        return ExportLogsServiceRequest.newBuilder()
                .addResourceLogs(ResourceLogs.newBuilder().addScopeLogs(scope))
                .build();
    }

    static byte[] gzip(byte[] bytes) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    /** Where what is tested is not how short it becomes. */
    static byte[] fastGzip(byte[] bytes) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out) {
            {
                def.setLevel(Deflater.BEST_SPEED);
            }
        }) {
            gzip.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    static byte[] zstd(byte[] bytes) {
        ZstdCompressor compressor = new ZstdCompressor();
        byte[] out = new byte[compressor.maxCompressedLength(bytes.length)];
        return Arrays.copyOf(out, compressor.compress(bytes, 0, bytes.length, out, 0, out.length));
    }
}
