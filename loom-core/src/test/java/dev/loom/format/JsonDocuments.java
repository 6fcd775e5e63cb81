package dev.loom.format;

import java.util.Random;

/** Random JSON texts: few names, so that paths meet them; numbers around the edges of their types. */
final class JsonDocuments {
    static final String[] NAMES = {"a", "b", "c", "a.b", "b.c", "a.b.c", "0", "1", "a.0", "", "é", "."};

    private static final String[] NUMBERS = {
        "0",
        "-0",
        "1",
        "9007199254740991",
        "9007199254740992",
        "9007199254740993",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775808",
        "-9223372036854775809",
        "0.1",
        "1e23",
        "4.9e-324",
        "2.4703282292062328e-324",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "8.5",
        "1E+1",
        "9007199254740993.0",
        "123456789012345678901234567890"
    };

    private final Random random;

    JsonDocuments(Random random) {
        this.random = random;
    }

    String next() {
        StringBuilder text = new StringBuilder();
        value(text, 0);
        space(text);
        return text.toString();
    }

    private void value(StringBuilder text, int depth) {
        space(text);
        switch (random.nextInt(depth == 0 ? 3 : depth < 6 ? 9 : 6) + (depth == 0 ? 6 : 0)) {
            case 0 -> text.append(random.nextBoolean());
            case 1 -> text.append("null");
            case 2 -> string(text, randomString());
            case 3 -> text.append(NUMBERS[random.nextInt(NUMBERS.length)]);
            case 4, 5 -> number(text);
            case 6 -> array(text, depth);
            default -> object(text, depth);
        }
    }

    private void array(StringBuilder text, int depth) {
        text.append('[');
        for (int i = random.nextInt(4); i > 0; i--) {
            value(text, depth + 1);
            space(text);
            text.append(i > 1 ? "," : "");
        }
        space(text);
        text.append(']');
    }

    private void object(StringBuilder text, int depth) {
        text.append('{');
        for (int i = random.nextInt(5); i > 0; i--) {
            space(text);
            string(text, NAMES[random.nextInt(NAMES.length)]);
            space(text);
            text.append(':');
            value(text, depth + 1);
            space(text);
            text.append(i > 1 ? "," : "");
        }
        space(text);
        text.append('}');
    }

    private void number(StringBuilder text) {
        switch (random.nextInt(4)) {
            case 0 -> text.append(random.nextInt(100) - 50);
            case 1 -> text.append(random.nextLong() >> random.nextInt(64));
            case 2 ->
                text.append(random.nextLong() >> random.nextInt(64))
                        .append('.')
                        .append(random.nextInt(Integer.MAX_VALUE));
            default -> {
                text.append(random.nextLong() >> random.nextInt(64));
                text.append(random.nextBoolean() ? "." + random.nextInt(1000) : "");
                text.append(random.nextBoolean() ? 'e' : 'E');
                text.append(random.nextInt(2) == 0 ? "" : "+-".charAt(random.nextInt(2)));
                text.append(random.nextInt(random.nextBoolean() ? 30 : 330));
            }
        }
    }

    private String randomString() {
        StringBuilder string = new StringBuilder();
        for (int i = random.nextInt(8); i > 0; i--) {
            int codePoint = random.nextInt(1 << (3 + random.nextInt(18)));
            if (Character.isValidCodePoint(codePoint) && (codePoint < 0xD800 || codePoint > 0xDFFF)) {
                string.appendCodePoint(codePoint);
            }
        }
        return string.toString();
    }

    private void string(StringBuilder text, String string) {
        text.append('"');
        boolean escapeMore = random.nextInt(4) == 0;
        for (int i = 0; i < string.length(); i++) {
            char c = string.charAt(i);
            int special = "\"\\/\b\f\n\r\t".indexOf(c);
            if (special >= 0 && random.nextBoolean()) {
                text.append('\\').append("\"\\/bfnrt".charAt(special));
            } else if (c < ' '
                    || c == '"'
                    || c == '\\'
                    || (escapeMore && (Character.isSurrogate(c) || random.nextBoolean()))) {
                text.append(String.format(random.nextBoolean() ? "\\u%04x" : "\\u%04X", (int) c));
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }

    private void space(StringBuilder text) {
        while (random.nextInt(6) == 0) {
            text.append(" \t\r\n".charAt(random.nextInt(4)));
        }
    }
}
