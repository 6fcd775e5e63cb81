package dev.loom.cli.ingest;

import java.io.IOException;

/** The peer violated the protocol; the connection ends. */
final class ProtocolException extends IOException {
    private static final long serialVersionUID = 1L;

    ProtocolException(String message) {
        super(message);
    }
}
