package dev.loom.cli.output;

import dev.loom.cli.console.Console;
import dev.loom.format.PayloadFormat;
import dev.loom.server.json.FieldBytes;
import dev.loom.server.json.RecordPrinter;
import dev.loom.server.text.DataOutput;
import dev.loom.server.text.TextBuffer;
import java.util.regex.Pattern;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** Prints payloads unchanged. In textual formats each ends with a newline; in others nothing separates them. */
final class RawRecordPrinter extends RecordPrinter {
    private final DataOutput out;
    private final boolean terminal;
    private final boolean textual;
    private final @Nullable Pattern highlighted;
    private final FieldBytes bytes = new FieldBytes();
    private final TextBuffer escaped = new TextBuffer(1024);

    RawRecordPrinter(Console console, PayloadFormat format, TableStyle style) {
        this.highlighted = console.outTerminal() && console.outColour() ? style.anywhere() : null;
        this.out = console.out();
        this.terminal = console.outTerminal();
        this.textual = format.name().equals("text") || format.name().equals("json");
    }

    @Override
    public void print(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
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
