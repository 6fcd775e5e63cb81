package dev.loom.server.mcp;

import dev.loom.server.text.TextBuffer;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Takes the lines of an answer, and keeps the last one and as many of the first as there is room for; wants no more once a line was left
 * out. For one thread, except {@link #full}.
 */
final class ToolAnswer extends OutputStream {
    /** The most bytes of all rows. */
    static final int ROWS_BYTES_MAX = 32 << 10;

    /** The most bytes of a line that is not skipped. */
    private static final int LINE_BYTES_MAX = 256 << 10;

    private static final int MARK_LENGTH = "{\"end\":".length();

    private final TextBuffer rows = new TextBuffer(4096);
    private final TextBuffer line = new TextBuffer(4096);
    private final TextBuffer last = new TextBuffer(4096);
    private boolean cut;
    private int kept;
    private long leftOut;
    private volatile boolean full;

    @Override
    public void write(int value) {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int count) {
        int from = offset;
        for (int at = offset; at < offset + count; at++) {
            if (bytes[at] == '\n') {
                append(bytes, from, at - from);
                endLine();
                from = at + 1;
            }
        }
        append(bytes, from, offset + count - from);
    }

    private void append(byte[] bytes, int offset, int count) {
        if (line.length() + count > LINE_BYTES_MAX) {
            cut = true;
        } else {
            line.put(bytes, offset, count);
        }
    }

    /** The line before this one was not the last one: it is a row. */
    private void endLine() {
        if (line.length() == 0 && !cut) {
            return;
        }
        if (last.length() > 0) {
            addRow();
        }
        last.clear();
        if (cut) {
            last.put("{}"); // too long to be kept, whatever it is
            cut = false;
            leave();
        } else {
            last.put(line.array(), 0, line.length());
        }
        line.clear();
    }

    private void addRow() {
        if (full || rows.length() + last.length() + 1 > ROWS_BYTES_MAX) {
            leave();
            return;
        }
        if (kept++ > 0) {
            rows.put(',');
        }
        rows.put(last.array(), 0, last.length());
    }

    private void leave() {
        leftOut++;
        full = true;
    }

    /** Whether no more rows are wanted. Usable from any thread. */
    boolean full() {
        return full;
    }

    /** The answer as a JSON object: {@code rows}, {@code end}, and what was left out. */
    String json() {
        TextBuffer json = new TextBuffer(rows.length() + last.length() + 256);
        json.put("{\"rows\":[");
        json.put(rows.array(), 0, rows.length());
        json.put("],");
        boolean ends = last.length() > MARK_LENGTH;
        json.put(ends ? new String(last.array(), 1, last.length() - 2, StandardCharsets.UTF_8) : "\"end\":{}");
        if (full) {
            json.put(",\"truncated\":\"rows are left out beyond " + ROWS_BYTES_MAX + " bytes: at least " + leftOut
                    + "; ask for less, as by name, limit, fields, where, or a shorter range\"");
        }
        json.put('}');
        return json.toString();
    }
}
