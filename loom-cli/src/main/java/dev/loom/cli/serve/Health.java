package dev.loom.cli.serve;

import dev.loom.Loom;
import dev.loom.cli.api.ApiFailure;
import dev.loom.error.LoomException;
import java.util.Map;

/** Whether the sidecar lives, and whether it can take records. Usable from any thread. */
final class Health {
    private static final String OK = "ok\n";

    private final Loom loom;
    private volatile boolean closing;

    Health(Loom loom) {
        this.loom = loom;
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
        Map<String, Object> info;
        try {
            info = loom.info().values();
        } catch (LoomException | IllegalStateException e) {
            throw unavailable(String.valueOf(e.getMessage()));
        }
        Object error = info.get("error");
        if (error != null) {
            throw unavailable(error.toString());
        }
        return OK;
    }

    private static ApiFailure unavailable(String reason) {
        return new ApiFailure(503, "unavailable", reason);
    }
}
