package dev.loom.cli.export;

import dev.loom.otlp.Signal;

/** Where OTLP requests go. For one thread. */
interface OtlpSink {
    /**
     * Delivers a request.
     *
     * @param request protobuf
     * @return false if the user interrupts before it is acknowledged
     * @throws dev.loom.cli.console.CommandFailure if it can't be delivered
     */
    boolean deliver(Signal signal, byte[] request);

    /** Whether all records must be of one signal. */
    boolean hasOneSignal();

    /** Records that were delivered, but not taken. */
    default long rejected() {
        return 0;
    }
}
