package dev.loom.server;

import dev.loom.server.http.ApiFailure;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Whether the server is alive, and whether it can take records. Usable from any thread. */
final class Health {
    private static final String OK = "ok\n";

    private final Supplier<String> store;
    private final List<Supplier<Optional<String>>> others;
    private volatile boolean closing;

    /**
     * @param store why records are not taken or don't reach the disk; empty if they do
     * @param others why each of the other receivers' requests don't arrive or can't be stored; empty if they do
     */
    Health(Supplier<String> store, List<Supplier<Optional<String>>> others) {
        this.store = store;
        this.others = others;
    }

    /** Reports not ready from now on. */
    void close() {
        closing = true;
    }

    /** Whether it was closed: then it needs nothing of the store. */
    boolean closing() {
        return closing;
    }

    /** Never fails as long as a thread can answer. */
    String live() {
        return OK;
    }

    /**
     * Returns normally if records can be taken and reach the disk.
     *
     * @param trusted whether the client may see the reason, which names files and sources
     * @throws ApiFailure if they can't
     */
    String ready(boolean trusted) {
        String problem = problem();
        if (!problem.isEmpty()) {
            throw new ApiFailure(503, "unavailable", trusted ? problem : "not ready; send the token to see why");
        }
        return OK;
    }

    /** Why records can't be taken or don't reach the disk; empty if they do. */
    String problem() {
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
