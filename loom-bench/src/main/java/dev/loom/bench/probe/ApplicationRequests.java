package dev.loom.bench.probe;

import java.nio.file.Path;

/** An application that answers requests. Any number of clients, each of one thread. */
interface ApplicationRequests extends AutoCloseable {
    /** Reads, in the telemetry. */
    long READ = 0;

    /** Writes, in the telemetry. */
    long WRITE = 1;

    /** Bytes of a value. */
    int VALUE_LENGTH = 100;

    /** A thread's requests, each recorded by a probe. */
    @FunctionalInterface
    interface Client {
        /** Makes one request, and checks its answer. */
        void request();
    }

    Client client(ProbeTelemetry.Probe probe, int thread);

    /** The process whose system calls are the application's. */
    long pid();

    /** Ends the application and deletes its files. Idempotent. */
    @Override
    void close();

    /** Opens an application with this many values in a folder. */
    static ApplicationRequests open(ProbeApplication.Kind kind, Path directory, long keys) {
        return switch (kind) {
            case ROCKSDB -> new RocksDbRequests(directory, keys);
            case REDIS -> new RedisRequests(directory, keys);
        };
    }

    /** Random operations on random keys, the same for the same thread. */
    final class Choice {
        private static final long MULTIPLIER = 6_364_136_223_846_793_005L;
        private static final long INCREMENT = 1_442_695_040_888_963_407L;

        private final long keys;
        private long state;

        Choice(long keys, int thread) {
            this.keys = keys;
            state = thread + 1L;
        }

        void next() {
            state = state * MULTIPLIER + INCREMENT;
        }

        long key() {
            return (state >>> 1 >>> 31) % keys;
        }

        long operation() {
            return state >>> 63;
        }
    }
}
