package dev.loom.cli.output;

import dev.loom.format.FieldValue;
import dev.loom.server.json.FieldBytes;
import dev.loom.server.json.FieldCell;
import dev.loom.server.table.CellText;
import dev.loom.server.text.TextBuffer;

/** The values that make groups, as people see them. */
public final class KeyText {
    /** Stands for a missing value. */
    public static final String MISSING = "(missing)";

    /** Stands for the key of the rest. */
    public static final String OTHER = "(other)";

    private KeyText() {}

    /** A value with its hidden characters escaped; a text that could be taken for one of the above, or for nothing, is in quotes. */
    public static String of(FieldCell cell) {
        if (cell.isMissing()) {
            return MISSING;
        }
        TextBuffer into = new TextBuffer(64);
        CellText.put(into, cell.value(), cell.singlePrecision(), new FieldBytes(), true);
        String text = into.toString();
        boolean quoted = cell.value().kind() == FieldValue.Kind.TEXT
                && (text.isBlank() || text.equals(MISSING) || text.equals(OTHER));
        return quoted ? '"' + text + '"' : text;
    }
}
