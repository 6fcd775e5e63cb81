package dev.loom.server.prometheus.promql;

/** An expression is valid, but has no answer over these samples. */
public final class EvaluationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public EvaluationException(String message) {
        super(message);
    }
}
