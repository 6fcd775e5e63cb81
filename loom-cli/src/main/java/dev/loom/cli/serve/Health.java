package dev.loom.cli.serve;

import dev.loom.cli.api.ApiFailure;
import java.util.Optional;
import java.util.function.Supplier;

/** Whether the sidecar lives, and whether it can take records. Usable from any thread. */
final class Health {
    private static final String OK = "ok\n";

    private final Supplier<String> store;
    private final Supplier<Optional<String>> receiver;
    private volatile boolean closing;

    /**
     * @param store tells why records are not taken or don't reach the disk; empty if they do
     * @param receiver tells why none of its requests can be stored, if so
     */
    Health(Supplier<String> store, Supplier<Optional<String>> receiver) {
        this.store = store;
        this.receiver = receiver;
    }

    /** From now on it is not ready. */
    void close() {
        closing = true;
    }

    /** Fails never, as long as there is a thread to answer. */
    String live() {
        return OK;
    }

    /**
     * Tells that records can be taken and reach the disk.
     *
     * @throws ApiFailure with the reason when they can't
     */
    String ready() {
        if (closing) {
            throw unavailable("closing");
        }
        String problem = store.get();
        if (!problem.isEmpty()) {
            throw unavailable(problem);
        }
        receiver.get().ifPresent(reason -> {
            throw unavailable(reason);
        });
        return OK;
    }

    private static ApiFailure unavailable(String reason) {
        return new ApiFailure(503, "unavailable", reason);
    }
}
