package dev.loom.cli.serve;

import dev.loom.cli.api.ApiFailure;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Whether the sidecar lives, and whether it can take records. Usable from any thread. */
final class Health {
    private static final String OK = "ok\n";

    private final Supplier<String> store;
    private final List<Supplier<Optional<String>>> others;
    private volatile boolean closing;

    /**
     * @param store tells why records are not taken or don't reach the disk; empty if they do
     * @param others of which each tells why its requests don't arrive, or can't be stored, if so
     */
    Health(Supplier<String> store, List<Supplier<Optional<String>>> others) {
        this.store = store;
        this.others = others;
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
     * @param trusted whether the reason may be told, which names files and sources
     * @throws ApiFailure when they can't
     */
    String ready(boolean trusted) {
        String problem = problem();
        if (!problem.isEmpty()) {
            throw new ApiFailure(503, "unavailable", trusted ? problem : "not ready; who sends the token learns why");
        }
        return OK;
    }

    private String problem() {
        if (closing) {
            return "closing";
        }
        String problem = store.get();
        return problem.isEmpty()
                ? others.stream()
                        .flatMap(other -> other.get().stream())
                        .findFirst()
                        .orElse("")
                : problem;
    }
}
