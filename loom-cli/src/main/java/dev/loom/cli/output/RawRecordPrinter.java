package dev.loom.cli.output;

import dev.loom.cli.console.Console;
import dev.loom.cli.logtime.LogLines;
import dev.loom.format.FieldReader;
import dev.loom.format.FieldValue;
import dev.loom.format.PayloadFormat;
import dev.loom.server.json.FieldBytes;
import dev.loom.server.json.RecordPrinter;
import dev.loom.server.table.CellText;
import dev.loom.server.text.DataOutput;
import dev.loom.server.text.TextBuffer;
import java.util.regex.Pattern;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Prints payloads unchanged. In textual formats each ends with a newline; in others nothing separates them. Of lines whose times were
 * recognised it prints the lines.
 */
final class RawRecordPrinter extends RecordPrinter {
    private final DataOutput out;
    private final boolean terminal;
    private final boolean textual;
    private final @Nullable Pattern highlighted;
    private final @Nullable FieldReader line;
    private final FieldBytes bytes = new FieldBytes();
    private final TextBuffer escaped = new TextBuffer(1024);

    RawRecordPrinter(Console console, PayloadFormat format, TableStyle style) {
        this.highlighted = console.outTerminal() && console.outColour() ? style.anywhere() : null;
        this.out = console.out();
        this.terminal = console.outTerminal();
        this.line = format.equals(LogLines.FORMAT) ? LogLines.LINE_READER : null;
        this.textual =
                line != null || format.name().equals("text") || format.name().equals("json");
    }

    @Override
    public void print(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
        FieldReader reader = line;
        if (reader == null) {
            print(buffer, offset, length);
            return;
        }
        reader.read(buffer, offset, length, value);
        int from = value.kind() == FieldValue.Kind.TEXT ? value.offset() : 0;
        int end = value.kind() == FieldValue.Kind.TEXT ? from + value.length() : 0;
        // a terminal gets each line of a stack trace as such, not an escaped line feed
        for (int at = from; terminal && at < end; at++) {
            if (value.bytes().getByte(at) == '\n') {
                print(value.bytes(), from, at - from);
                from = at + 1;
            }
        }
        print(value.bytes(), from, end - from);
    }

    private void print(DirectBuffer buffer, int offset, int length) {
        bytes.load(buffer, offset, length);
        if (terminal) {
            CellText.putText(escaped, bytes.array(), length, true);
            if (highlighted != null) {
                String text = Table.highlighted(escaped.toString(), highlighted);
                escaped.clear();
                escaped.put(text);
            }
            escaped.put('\n');
            out.write(escaped);
        } else {
            out.write(bytes.array(), 0, length);
            if (textual) {
                escaped.put('\n');
                out.write(escaped);
            }
        }
    }

    @Override
    public void flush() {
        out.flush();
    }
}
