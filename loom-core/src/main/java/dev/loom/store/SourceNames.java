package dev.loom.store;

/** The rules for names of sources. */
final class SourceNames {
    static final int LENGTH_MAX = 255;
    static final int ID_MAX = 65_535;

    private SourceNames() {}

    /** A name is 1 to 255 printable characters without spaces, not beginning with {@code #} or {@code -}. */
    static void check(String name) {
        boolean fits = !name.isEmpty() && name.length() <= LENGTH_MAX;
        boolean printable = name.codePoints()
                .allMatch(c -> Character.isDefined(c)
                        && !Character.isISOControl(c)
                        && !Character.isWhitespace(c)
                        && !Character.isSpaceChar(c)
                        && Character.getType(c) != Character.FORMAT
                        && Character.getType(c) != Character.SURROGATE);
        if (!fits || !printable || name.startsWith("#") || name.startsWith("-")) {
            throw new IllegalArgumentException("bad source name: name=" + name
                    + ", expected=1 to 255 printable characters without spaces, not beginning with # or -");
        }
    }
}
