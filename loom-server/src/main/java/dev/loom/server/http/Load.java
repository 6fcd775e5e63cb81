package dev.loom.server.http;

/** How much a request takes. Each kind has threads of its own, so that none keeps another from being answered. */
public enum Load {
    /** Asks for records, or for what is computed from them. */
    QUERY,
    /** Asks for records as they arrive, until the client leaves. */
    FOLLOWER,
    /** Takes a moment: sources, indexes, the store's state, the schema. */
    LOOKUP,
    /** Asks whether records can be taken. */
    READINESS
}
