package dev.loom.server.protocol;

import java.io.IOException;

/** The peer violated the protocol; the connection ends. */
public final class ProtocolException extends IOException {
    private static final long serialVersionUID = 1L;

    public ProtocolException(String message) {
        super(message);
    }
}
