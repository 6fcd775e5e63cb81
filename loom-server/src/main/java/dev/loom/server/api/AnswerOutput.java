package dev.loom.server.api;

import dev.loom.query.model.QueryMemory;
import dev.loom.server.arrow.ArrowTable;
import dev.loom.server.json.JsonResults;
import dev.loom.server.json.OtlpResults;
import dev.loom.server.json.RecordResults;
import dev.loom.server.table.CsvTable;
import dev.loom.server.table.TableForm;
import dev.loom.server.table.TableResults;
import dev.loom.server.text.DataOutput;
import dev.loom.server.time.TimePrinter;
import java.io.IOException;
import java.io.OutputStream;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where one answer is written in its form. For one thread. */
final class AnswerOutput {
    private final AnswerForm form;
    private final QueryMemory memory;
    private final @Nullable JsonArray array;
    private final DataOutput out;
    private @Nullable TableForm table;

    /** @param memory from which the answer reserves what it holds */
    AnswerOutput(AnswerForm form, OutputStream stream, QueryMemory memory) {
        this.form = form;
        this.memory = memory;
        array = form == AnswerForm.JSON_ARRAY ? new JsonArray(stream) : null;
        out = new DataOutput(array == null ? stream : array, false);
    }

    /** Takes the results of a query. */
    RecordResults results(ApiQuery query) {
        if (form.inColumns()) {
            return new TableResults(table(query.times().zone()), query.fields(), query.causes());
        }
        return query.otlp()
                ? new OtlpResults(out)
                : new JsonResults(out, new TimePrinter(query.times().zone()), query.fields(), query.causes());
    }

    /** Takes rows in columns, times in UTC; null if the form has none. */
    @Nullable
    TableForm table() {
        return form.inColumns() ? table(ZoneOffset.UTC) : null;
    }

    private TableForm table(ZoneId zone) {
        TableForm begun = form == AnswerForm.CSV
                ? new CsvTable(out, new TimePrinter(zone), false, false)
                : new ArrowTable(out, memory);
        table = begun;
        return begun;
    }

    /** Takes rows that are no records. */
    void print(Map<String, ? extends @Nullable Object> row) {
        JsonResults.print(out, row);
    }

    /** Ends the answer with its outcome; returns the outcome that the client gets. */
    Map<String, Object> end(RecordResults results, Map<String, Object> outcome) throws IOException {
        if (results instanceof TableResults inColumns) {
            Map<String, Object> all = new LinkedHashMap<>(outcome);
            all.putAll(inColumns.altered());
            inColumns.end(all);
            return all;
        }
        end(outcome);
        return outcome;
    }

    /** Ends an answer that has no records. */
    void end(Map<String, Object> outcome) throws IOException {
        if (table != null) {
            table.end(outcome);
            return;
        }
        print(Map.of("end", outcome));
        out.flush();
        if (array != null) {
            array.end();
        }
    }
}
