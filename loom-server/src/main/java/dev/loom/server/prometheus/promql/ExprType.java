package dev.loom.server.prometheus.promql;

/** What an expression gives. */
public enum ExprType {
    SCALAR("scalar", "scalar"),
    STRING("string", "string"),
    VECTOR("instant vector", "vector"),
    MATRIX("range vector", "matrix");

    private final String text;
    private final String jsonName;

    ExprType(String text, String jsonName) {
        this.text = text;
        this.jsonName = jsonName;
    }

    /** The name in answers. */
    public String jsonName() {
        return jsonName;
    }

    @Override
    public String toString() {
        return text;
    }
}
