package dev.loom.server.tempo;

import dev.loom.server.text.ShortText;

/** A TraceQL query is malformed, or has a part that is not supported. Its message says where. */
final class TraceQlException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    TraceQlException(String what, int position, String query) {
        super(what + ": position=" + position + ", query=" + ShortText.of(query));
    }
}
