package dev.loom.api;

import dev.loom.error.LoomException;
import java.util.List;
import java.util.Optional;

/** What a writer's store and an attached one have in common. Usable from any thread. */
public interface Store extends AutoCloseable {
    /**
     * The records published so far, as a consistent view: every record whose push had returned is in it. Costs the
     * writer nothing.
     *
     * @throws LoomException when the store can no longer be read, by its reason
     */
    Snapshot snapshot();

    /** Every source ever defined, by id, without source 0. */
    List<Source> sources();

    /** The open source of this name, or else the one of this name closed last. */
    Optional<Source> source(String name);

    /** Every index ever defined, by id. */
    List<Index> indexes();

    /** Settings, watermarks, sizes and the evictor's state, read now. */
    StoreInfo info();

    /** Idempotent. Snapshots and cursors still open stay readable until they are closed. */
    @Override
    void close();
}
