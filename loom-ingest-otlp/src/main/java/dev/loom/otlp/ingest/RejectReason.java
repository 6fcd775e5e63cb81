package dev.loom.otlp.ingest;

/** Why a record of a well-formed request is not stored and need not be sent again. */
enum RejectReason {
    INVALID_IDS("trace_id or span_id is missing, all zero or has the wrong length"),
    INVALID_TEXT("text that is not UTF-8, in the record or in its resource, scope or metric"),
    RECORD_TOO_LONG("longer than the store's limit"),
    CONTEXT_TOO_LONG("resource, scope and metric description are longer than the limit"),
    CONTEXTS_TOO_LONG("resources, scopes and metric descriptions of the request are too long together,"
            + " as each scope and metric is stored with its resource"),
    STORE_FULL("the store is full, and drops the newest records");

    private final String text;

    RejectReason(String text) {
        this.text = text;
    }

    /** The reason in words. */
    String text() {
        return text;
    }
}
