package dev.loom.otlp.server;

import java.nio.file.Path;

/**
 * Settings of an {@link OtlpReceiver}.
 *
 * @param budgetLength memory for all requests in flight, in bytes; less if there is less room, and the largest message then
 *     shrinks with it
 * @param budgetFolder where that memory is allocated, best on tmpfs
 * @param maxMessageLength {@code max_recv_msg_size_mib} and {@code max_request_body_size}: the largest request as received,
 *     decompressed, and as protobuf, in bytes; from 1 to a quarter of the budget, which holds two of these forms at a time
 * @param maxDecompressionRatio decoded to received bytes, for requests that decode to more than 1 MiB
 * @param maxRequests requests at once; each takes heap for its headers, whatever it sends, so this bounds the cost of idle
 *     ones
 * @param exportThreads requests decoded and stored at once
 */
public record OtlpConfig(
        int budgetLength,
        Path budgetFolder,
        int maxMessageLength,
        int maxDecompressionRatio,
        int maxRequests,
        int exportThreads) {
    private static final int MIB = 1 << 20;
    static final int BUDGET_LENGTH_MIN = MIB;
    private static final int BUDGET_LENGTH_MAX = 1 << 30;

    /** A message in two forms, the place to which a growing one moves, and what compression can add. */
    private static final int MESSAGES_MIN = 4;

    /** Checks ranges. */
    public OtlpConfig {
        within("budget", budgetLength, BUDGET_LENGTH_MIN, BUDGET_LENGTH_MAX);
        if (maxMessageLength < 1 || maxMessageLength > budgetLength / MESSAGES_MIN) {
            throw new IllegalArgumentException(
                    "largest message must be at most a quarter of the budget: max_recv_msg_size=" + maxMessageLength
                            + ", budget=" + budgetLength);
        }
        within("max_decompression_ratio", maxDecompressionRatio, 1, Integer.MAX_VALUE);
        within("max_requests", maxRequests, 1, 1 << 20);
        within("export_threads", exportThreads, 1, 64);
    }

    /** 64 MiB on {@code /dev/shm}, of which a request may take 16; ratio 300, 512 requests, two threads. */
    public static OtlpConfig defaults() {
        return new OtlpConfig(64 * MIB, Path.of("/dev/shm"), 16 * MIB, 300, 512, 2);
    }

    /** The same with another budget; the largest message shrinks with it if it has to. */
    public OtlpConfig withBudget(int length, Path folder) {
        int message = Math.min(maxMessageLength, length / MESSAGES_MIN);
        return new OtlpConfig(length, folder, message, maxDecompressionRatio, maxRequests, exportThreads);
    }

    /** The same with another largest message. */
    public OtlpConfig withMaxMessageLength(int length) {
        return new OtlpConfig(budgetLength, budgetFolder, length, maxDecompressionRatio, maxRequests, exportThreads);
    }

    /** The same with another ratio. */
    public OtlpConfig withMaxDecompressionRatio(int ratio) {
        return new OtlpConfig(budgetLength, budgetFolder, maxMessageLength, ratio, maxRequests, exportThreads);
    }

    /** The same with another number of requests at once. */
    public OtlpConfig withMaxRequests(int requests) {
        return new OtlpConfig(
                budgetLength, budgetFolder, maxMessageLength, maxDecompressionRatio, requests, exportThreads);
    }

    /** The same with another number of threads. */
    public OtlpConfig withExportThreads(int threads) {
        return new OtlpConfig(
                budgetLength, budgetFolder, maxMessageLength, maxDecompressionRatio, maxRequests, threads);
    }

    private static void within(String setting, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException("setting is out of range: setting=" + setting + ", value=" + value
                    + ", min=" + min + ", max=" + max);
        }
    }
}
