package dev.loom.cli.input;

import java.io.IOException;

/** The lines of an input, without their ends, LF or CRLF. A line over the limit is not kept; only its end is. */
public final class TextLines {
    private final InputWindow window;
    private final int lineBytesMax;
    private long line;
    private int length;
    private int consumed;
    private boolean cut;

    public TextLines(InputWindow window, int lineBytesMax) {
        this.window = window;
        this.lineBytesMax = lineBytesMax;
    }

    /** Moves to the next line. False at the end. */
    public boolean next() throws IOException {
        window.consume(consumed);
        consumed = 0;
        cut = false;
        length = 0;
        line++;
        return window.require(1) && find();
    }

    private boolean find() throws IOException {
        int at = 0;
        while (true) {
            at = window.lineFeed(at);
            if (at < window.length()) {
                break;
            }
            if (at > lineBytesMax) {
                cut = true;
                window.consume(at);
                at = 0;
            }
            if (!window.more()) {
                length = at;
                consumed = at;
                return true;
            }
        }
        consumed = at + 1;
        length = at > 0 && window.at(at - 1) == '\r' ? at - 1 : at;
        return true;
    }

    /** Whether the line's end has arrived, or the input's; false if the wait for it was interrupted. */
    public boolean whole() {
        return window.ended() || (consumed > 0 && window.at(consumed - 1) == '\n');
    }

    /** Number of the line, from 1. */
    public long line() {
        return line;
    }

    /** The most bytes of a line. */
    public int lineBytesMax() {
        return lineBytesMax;
    }

    /** Whether the line is over the limit. */
    public boolean tooLong() {
        return cut || length > lineBytesMax;
    }

    /** Whether only the end of the line, which is over the limit, is available. */
    public boolean cut() {
        return cut;
    }

    public byte[] array() {
        return window.array();
    }

    public int offset() {
        return window.arrayOffset();
    }

    public int length() {
        return length;
    }

    public byte[] lineBytes() {
        return window.copy(0, consumed);
    }
}
