package dev.loom.store;

/** The rules for names of sources and indexes. */
final class Names {
    static final int LENGTH_MAX = 255;
    /** Of a source. */
    static final int ID_MAX = 65_535;

    private Names() {}

    /**
     * A name is 1 to 255 printable characters without spaces, not beginning with {@code #} or {@code -}.
     *
     * @param what it is a name of, for the error
     */
    static void check(String what, String name) {
        boolean fits = !name.isEmpty() && name.length() <= LENGTH_MAX;
        boolean printable = name.codePoints()
                .allMatch(c -> Character.isDefined(c)
                        && !Character.isISOControl(c)
                        && !Character.isWhitespace(c)
                        && !Character.isSpaceChar(c)
                        && Character.getType(c) != Character.FORMAT
                        && Character.getType(c) != Character.SURROGATE);
        if (!fits || !printable || name.startsWith("#") || name.startsWith("-")) {
            throw new IllegalArgumentException("bad " + what + " name: name=" + name
                    + ", expected=1 to 255 printable characters without spaces, not beginning with # or -");
        }
    }
}
