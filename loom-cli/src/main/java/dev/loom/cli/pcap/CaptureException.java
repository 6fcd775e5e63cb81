package dev.loom.cli.pcap;

/** A capture file is damaged or of an unknown format; nothing after this point can be found. */
public final class CaptureException extends Exception {
    private static final long serialVersionUID = 1L;

    CaptureException(String message) {
        super(message);
    }
}
