package dev.loom.query.service;

/** A request is invalid. The message holds the value, and the part of the request that it belongs to. */
public final class RequestException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final String part;
    private final String reason;

    /** A request that is invalid as a whole. */
    public RequestException(String reason) {
        this("", reason);
    }

    /**
     * One part of a request is invalid.
     *
     * @param part the part's name, such as {@code limit}
     * @param reason what follows the name, such as {@code " is negative: -1"}
     */
    public RequestException(String part, String reason) {
        super(part + reason);
        this.part = part;
        this.reason = reason;
    }

    /** As above, because of what the cause says. */
    public RequestException(String part, String before, IllegalArgumentException cause) {
        super(part + before + cause.getMessage(), cause);
        this.part = part;
        this.reason = before + cause.getMessage();
    }

    /** The name of the invalid part; empty if it is the request as a whole. */
    public String part() {
        return part;
    }

    /** The message without the part's name. */
    public String reason() {
        return reason;
    }
}
