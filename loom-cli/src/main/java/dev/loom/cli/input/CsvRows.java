package dev.loom.cli.input;

import dev.loom.server.text.TextBuffer;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a CSV input (RFC 4180). Cells are separated by commas or another delimiter; quoted cells may contain delimiters,
 * newlines and doubled quotes. Rows end with LF or CRLF. Empty lines are skipped. A quote inside an unquoted cell is an ordinary
 * character. A row that does not parse is returned with its problem, and reading continues at the next line.
 *
 * <p>A stray quote, whose row never ends, looks like a multi-line cell that is still arriving. In an input whose rows arrive one
 * by one, the rest of such a cell arrives at once, so a time limit tells the two apart: {@link #closeQuotesWithin}.
 *
 * <p>It works on bytes and allocates nothing per row: the exact bytes of a bad row are available, and numbers need no text.
 */
public final class CsvRows {

    private final InputWindow window;
    private final int rowBytesMax;
    private final byte delimiter;
    private final TextBuffer unquoted = new TextBuffer(1024);
    private int[] offsets = new int[16];
    private int[] lengths = new int[16];
    private boolean[] copied = new boolean[16];
    private boolean[] quoted = new boolean[16];
    private int cellCount;
    private int rowLength;
    private long line = 1;
    private int linesInRow;
    private boolean inOverlongLine;
    /** Whether the row is bad as a cell of it goes on, which may still arrive. */
    private boolean unclosed;

    private long quoteTimeoutNs = Long.MAX_VALUE;
    private boolean quoteWaitedFor;
    private long quoteWaitedSinceNs;
    private @Nullable String problem;

    public CsvRows(InputWindow window, int rowBytesMax) {
        this(window, rowBytesMax, (byte) ',');
    }

    /** @param delimiter separates cells in place of a comma */
    public CsvRows(InputWindow window, int rowBytesMax, byte delimiter) {
        this.window = window;
        this.delimiter = delimiter;
        this.rowBytesMax = rowBytesMax;
    }

    /** From now on a row is bad if the end of its multi-line cell does not arrive within {@code timeoutNs}. */
    public void closeQuotesWithin(long timeoutNs) {
        quoteTimeoutNs = timeoutNs;
    }

    /** Skips a byte order mark at the start of the input. */
    public void skipByteOrderMark() throws IOException {
        window.skipByteOrderMark();
    }

    /** Moves to the next row, good or bad. False at the end, and when the window starves. */
    public boolean next() throws IOException {
        window.consume(rowLength);
        line += linesInRow;
        rowLength = 0;
        linesInRow = 0;
        cellCount = 0;
        problem = null;
        unclosed = false;
        unquoted.clear();
        skipOverlongLine();
        return skipEmptyLines() && parse(0);
    }

    /** Consumes the current row; returns where the next one begins, for {@link #peek}. */
    public int peekStart() {
        window.consume(rowLength);
        line += linesInRow;
        rowLength = 0;
        linesInRow = 0;
        return 0;
    }

    /**
     * Reads ahead: parses the row that begins at {@code from} like {@link #next()}, but consumes nothing.
     *
     * @return where the following row begins, or -1 at the end and if the row's end is too far away
     */
    public int peek(int from) throws IOException {
        cellCount = 0;
        problem = null;
        unquoted.clear();
        rowLength = 0;
        linesInRow = 0;
        try {
            boolean found = window.require(from + 1) && parse(from) && !window.starved() && !inOverlongLine;
            return found ? rowLength : -1;
        } finally {
            rowLength = 0;
            linesInRow = 0;
            inOverlongLine = false;
        }
    }

    /** Whether the row's end has arrived, or the input's; false if the wait for it was interrupted. */
    public boolean whole() {
        return window.ended() || (!unclosed && rowLength > 0 && window.at(rowLength - 1) == '\n');
    }

    /** The line of the input, from 1, on which the row begins. */
    public long line() {
        return line;
    }

    /** Why the row does not parse, or null. */
    public @Nullable String problem() {
        return problem;
    }

    public int cellCount() {
        return cellCount;
    }

    /** The array that holds a cell, at {@link #offset}. */
    public byte[] array(int cell) {
        return copied[cell] ? unquoted.array() : window.array();
    }

    public int offset(int cell) {
        return copied[cell] ? offsets[cell] : window.arrayOffset() + offsets[cell];
    }

    public int length(int cell) {
        return lengths[cell];
    }

    /** Whether the cell was quoted: a quoted empty cell is an empty text, a bare one no value. */
    public boolean quoted(int cell) {
        return quoted[cell];
    }

    /** Whether {@link #rowBytes()} are only the beginning of a row that is too long. */
    public boolean cut() {
        return inOverlongLine;
    }

    /** The row as it stands in the input, with its line end. */
    public byte[] rowBytes() {
        return window.copy(0, rowLength);
    }

    private boolean skipEmptyLines() throws IOException {
        while (window.require(1)) {
            int length = window.at(0) == '\r' && window.require(2) && window.at(1) == '\n' ? 2 : 1;
            if (window.at(length - 1) != '\n') {
                return true;
            }
            window.consume(length);
            line++;
        }
        return false;
    }

    /** Parses cells up to the end of the row; {@link #rowLength} is then the offset of the next row. */
    private boolean parse(int from) throws IOException {
        int at = from;
        while (rowLength == 0) {
            at = window.require(at + 1) && window.at(at) == '"' ? quotedCell(from, at) : plainCell(from, at);
        }
        return true;
    }

    /** Parses an unquoted cell; returns where the next one begins. */
    private int plainCell(int from, int cellStart) throws IOException {
        int at = cellStart;
        while (true) {
            at = endOfPlain(at, from + rowBytesMax + 1);
            if (at - from > rowBytesMax) {
                return tooLong(from);
            } else if (at < window.length()) {
                break;
            } else if (!window.more()) {
                addCell(cellStart, at - cellStart, false, false);
                return endRow(at);
            }
        }
        if (window.at(at) == delimiter) {
            addCell(cellStart, at - cellStart, false, false);
            return at + 1;
        }
        boolean carriageReturn = at > cellStart && window.at(at - 1) == '\r';
        addCell(cellStart, at - cellStart - (carriageReturn ? 1 : 0), false, false);
        return endRow(at + 1);
    }

    private int endOfPlain(int from, int limit) {
        byte[] bytes = window.array();
        int end = window.arrayOffset() + Math.min(window.length(), limit);
        int at = window.arrayOffset() + from;
        while (at < end && bytes[at] != delimiter && bytes[at] != '\n') {
            at++;
        }
        return at - window.arrayOffset();
    }

    /** Parses a quoted cell; returns where the next one begins. */
    private int quotedCell(int from, int quoteAt) throws IOException {
        int copyFrom = unquoted.length();
        int partFrom = quoteAt + 1;
        int at = partFrom;
        quoteWaitedFor = false;
        while (true) {
            if (at - from > rowBytesMax) {
                return tooLong(from);
            } else if (at == window.length() && !moreOfQuotedCell()) {
                unclosed = true;
                return badRow(from, from, "quoted cell is not closed");
            }
            byte value = window.at(at);
            if (value == '\n') {
                linesInRow++;
            } else if (value == '"') {
                boolean doubled = window.require(at + 2) && window.at(at + 1) == '"';
                if (!doubled) {
                    break;
                }
                unquoted.put(window.array(), window.arrayOffset() + partFrom, at + 1 - partFrom);
                partFrom = at + 2;
                at++;
            }
            at++;
        }
        boolean copy = unquoted.length() > copyFrom;
        if (copy) {
            unquoted.put(window.array(), window.arrayOffset() + partFrom, at - partFrom);
            addCell(copyFrom, unquoted.length() - copyFrom, true, true);
        } else {
            addCell(partFrom, at - partFrom, false, true);
        }
        return afterQuoted(from, at + 1);
    }

    private boolean moreOfQuotedCell() throws IOException {
        if (linesInRow == 0 || quoteTimeoutNs == Long.MAX_VALUE) {
            return window.more();
        } else if (!quoteWaitedFor) {
            quoteWaitedFor = true;
            quoteWaitedSinceNs = System.nanoTime();
        }
        return window.more(quoteTimeoutNs - (System.nanoTime() - quoteWaitedSinceNs));
    }

    private int afterQuoted(int from, int at) throws IOException {
        if (!window.require(at + 1)) {
            return endRow(at);
        }
        byte value = window.at(at);
        if (value == delimiter) {
            return at + 1;
        } else if (value == '\n') {
            return endRow(at + 1);
        } else if (value == '\r' && window.require(at + 2) && window.at(at + 1) == '\n') {
            return endRow(at + 2);
        }
        return badRow(from, at, "text after the closing quote of cell " + cellCount);
    }

    private int tooLong(int from) throws IOException {
        return badRow(from, from, "row is longer than " + rowBytesMax + " bytes");
    }

    /** Ends a bad row after the line that {@code at} is on; the rest of an overlong line is skipped later. */
    private int badRow(int from, int at, String reason) throws IOException {
        if (at == from) {
            linesInRow = 0;
        }
        problem = reason;
        int newline = at;
        while (window.require(newline + 1) && window.at(newline) != '\n') {
            if (newline - at > rowBytesMax) {
                inOverlongLine = true;
                break;
            }
            newline++;
        }
        return endRow(Math.min(newline + 1, window.length()));
    }

    private void skipOverlongLine() throws IOException {
        while (inOverlongLine && window.require(1)) {
            int length = window.length();
            int at = 0;
            while (at < length && inOverlongLine) {
                inOverlongLine = window.at(at) != '\n';
                at++;
            }
            window.consume(at);
        }
    }

    private int endRow(int next) {
        linesInRow++;
        rowLength = next;
        return next;
    }

    private void addCell(int offset, int length, boolean copy, boolean inQuotes) {
        if (cellCount == offsets.length) {
            offsets = Arrays.copyOf(offsets, cellCount * 2);
            lengths = Arrays.copyOf(lengths, cellCount * 2);
            copied = Arrays.copyOf(copied, cellCount * 2);
            quoted = Arrays.copyOf(quoted, cellCount * 2);
        }
        offsets[cellCount] = offset;
        lengths[cellCount] = length;
        copied[cellCount] = copy;
        quoted[cellCount] = inQuotes;
        cellCount++;
    }
}
