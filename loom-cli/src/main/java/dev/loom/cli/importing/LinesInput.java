package dev.loom.cli.importing;

import dev.loom.cli.input.JsonLine;
import dev.loom.cli.input.TextLines;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** One record per line, kept unchanged; JSON lines are checked to be objects. */
final class LinesInput implements RecordInput {
    private final TextLines lines;
    private final @Nullable JsonLine json;

    private LinesInput(TextLines lines, @Nullable JsonLine json) {
        this.lines = lines;
        this.json = json;
    }

    /** Lines of text; an empty line is a record too. */
    static LinesInput text(TextLines lines) {
        return new LinesInput(lines, null);
    }

    /** JSON objects; blank lines are skipped. */
    static LinesInput json(TextLines lines) {
        return new LinesInput(lines, new JsonLine());
    }

    @Override
    public boolean next() throws IOException {
        boolean more = lines.next();
        while (more && json != null && blank()) {
            more = lines.next();
        }
        return more;
    }

    private boolean blank() {
        byte[] array = lines.array();
        int end = lines.offset() + lines.length();
        int at = lines.offset();
        while (at < end && array[at] >= 0 && array[at] <= ' ') {
            at++;
        }
        return at == end && !lines.tooLong();
    }

    @Override
    public String position() {
        return "line " + lines.line();
    }

    @Override
    public @Nullable String encode(PayloadBatch batch) {
        if (lines.tooLong()) {
            return "line is longer than " + batch.payloadLengthMax() + " bytes";
        } else if (json != null) {
            String problem = json.problem(lines.array(), lines.offset(), lines.length());
            if (problem != null) {
                return problem;
            }
        }
        batch.ensure(lines.length());
        batch.buffer().putBytes(batch.offset(), lines.array(), lines.offset(), lines.length());
        batch.encoded(lines.length());
        return null;
    }

    @Override
    public byte[] rawBytes() {
        return lines.lineBytes();
    }
}
