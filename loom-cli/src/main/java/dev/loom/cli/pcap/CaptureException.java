package dev.loom.cli.pcap;

/** A capture file that is damaged or of a kind that is not read; what follows in it can't be found. */
public final class CaptureException extends Exception {
    private static final long serialVersionUID = 1L;

    CaptureException(String message) {
        super(message);
    }
}
