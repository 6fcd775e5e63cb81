package dev.loom.cli.importing;

import dev.loom.cli.input.JsonLine;
import dev.loom.cli.input.TextLines;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** One record per line, kept unchanged; JSON lines are checked to be objects. */
final class LinesInput implements RecordInput {
    private final TextLines lines;
    private final @Nullable JsonLine json;
    private final @Nullable JsonRows rows;
    private final boolean fieldsAlone;
    private final Runnable onPrinted;
    private boolean printed;

    private LinesInput(
            TextLines lines,
            @Nullable JsonLine json,
            @Nullable JsonRows rows,
            boolean fieldsAlone,
            Runnable onPrinted) {
        this.rows = rows;
        this.lines = lines;
        this.json = json;
        this.fieldsAlone = fieldsAlone;
        this.onPrinted = onPrinted;
    }

    /** Lines of text; an empty line is a record too. */
    static LinesInput text(TextLines lines) {
        return new LinesInput(lines, null, null, false, () -> {});
    }

    /**
     * JSON objects; blank lines are skipped.
     *
     * @param rows makes structs of them; null to keep them as they are
     * @param fieldsAlone whether of rows that Loom printed only the fields count
     * @param onPrinted called for the first of these
     */
    static LinesInput json(TextLines lines, @Nullable JsonRows rows, boolean fieldsAlone, Runnable onPrinted) {
        return new LinesInput(lines, new JsonLine(), rows, fieldsAlone, onPrinted);
    }

    @Override
    public boolean next() throws IOException {
        boolean more = lines.next();
        while (more && json != null && blank()) {
            more = lines.next();
        }
        return more;
    }

    @Override
    public boolean whole() {
        return lines.whole();
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
            return "line is longer than " + lines.lineBytesMax() + " bytes";
        } else if (json != null) {
            String problem = json.problem(lines.array(), lines.offset(), lines.length());
            if (problem != null) {
                return problem;
            }
        }
        int from = json == null || !fieldsAlone ? 0 : fieldsOffset(json);
        int length = lines.length() - from - (from > 0 ? 1 : 0);
        if (from > 0 && PrintedLine.isNoJson(lines.array(), lines.offset() + from, length)) {
            return "the record's payload is null or no JSON, and the row has it in base64; --whole-rows keeps rows as"
                    + " they are";
        } else if (from > 0 && rows != null && lines.array()[lines.offset() + from] != '{') {
            return "the record's payload is no JSON object";
        }
        if (rows != null) {
            return encode(rows, batch, lines.offset() + from, length);
        }
        String problem = batch.problem(length);
        if (problem != null) {
            return problem; // before a copy is made of it
        }
        batch.ensure(length);
        batch.buffer().putBytes(batch.offset(), lines.array(), lines.offset() + from, length);
        batch.encoded(length);
        return null;
    }

    private @Nullable String encode(JsonRows structs, PayloadBatch batch, int offset, int length) {
        String problem = structs.read(lines.array(), offset, length);
        if (problem == null) {
            batch.ensure(structs.lengthMax());
            problem = structs.write(batch.buffer(), batch.offset());
        }
        if (problem == null) {
            batch.encoded(structs.length());
        }
        return problem;
    }

    /** Where in the line the fields begin, which end before its last character; 0 if Loom did not print it. */
    private int fieldsOffset(JsonLine checked) {
        int offset = PrintedLine.fieldsOffset(lines.array(), lines.offset(), lines.length());
        int from = lines.offset() + offset;
        int length = lines.length() - offset - 1;
        boolean fields = offset > 0
                && (checked.isValue(lines.array(), from, length) || PrintedLine.isNoJson(lines.array(), from, length));
        if (fields && !printed) {
            printed = true;
            onPrinted.run();
        }
        return fields ? offset : 0;
    }

    @Override
    public byte[] rawBytes() {
        return lines.lineBytes();
    }

    @Override
    public boolean cut() {
        return lines.cut();
    }
}
