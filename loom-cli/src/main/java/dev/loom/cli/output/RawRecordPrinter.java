package dev.loom.cli.output;

import dev.loom.cli.console.Console;
import dev.loom.cli.console.DataOutput;
import dev.loom.cli.text.TextBuffer;
import dev.loom.format.PayloadFormat;
import org.agrona.DirectBuffer;

/** Payloads as they are. Those of a textual format end with a newline; of others nothing stands between. */
final class RawRecordPrinter implements RecordPrinter {
    private final DataOutput out;
    private final boolean terminal;
    private final boolean textual;
    private final FieldBytes bytes = new FieldBytes();
    private final TextBuffer escaped = new TextBuffer(1024);

    RawRecordPrinter(Console console, PayloadFormat format) {
        this.out = console.out();
        this.terminal = console.outTerminal();
        this.textual = format.name().equals("text") || format.name().equals("json");
    }

    @Override
    public void print(long timeNs, long address, DirectBuffer buffer, int offset, int length) {
        bytes.load(buffer, offset, length);
        if (terminal) {
            CellText.putText(escaped, bytes.array(), length, true);
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
