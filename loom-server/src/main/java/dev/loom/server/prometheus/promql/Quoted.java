package dev.loom.server.prometheus.promql;

/** Texts in double quotes, as PromQL writes them. */
final class Quoted {
    private Quoted() {}

    /** The name of a label, in quotes unless it is a plain one. */
    static String label(String name) {
        return name.matches("[a-zA-Z_][a-zA-Z0-9_]*") ? name : of(name);
    }

    static String of(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"', '\\' -> quoted.append('\\').append(c);
                case '\n' -> quoted.append("\\n");
                case '\r' -> quoted.append("\\r");
                case '\t' -> quoted.append("\\t");
                default -> {
                    if (c < ' ' || c == 0x7F) {
                        quoted.append(String.format("\\x%02x", (int) c));
                    } else {
                        quoted.append(c);
                    }
                }
            }
        }
        return quoted.append('"').toString();
    }
}
