package dev.loom.query.where;

import java.util.regex.Pattern;

/** Quotes names and texts for the lexer. */
final class Quoting {
    private static final Pattern PLAIN_NAME = Pattern.compile("[A-Za-z_@][A-Za-z0-9_@.-]*");

    private Quoting() {}

    /** A field name, in backquotes if it needs them. */
    static String name(String name) {
        boolean plain = PLAIN_NAME.matcher(name).matches() && TokenKind.ofWord(name) == TokenKind.NAME;
        return plain ? name : '`' + name.replace("`", "``") + '`';
    }

    static String text(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (Character.isISOControl(c) || Character.isSurrogate(c)) {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
