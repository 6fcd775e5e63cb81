package dev.loom.parquet.command;

import dev.loom.format.Field;
import dev.loom.parquet.ParquetExport;
import dev.loom.query.column.ColumnValues;
import dev.loom.query.service.ExportForm;
import java.io.IOException;
import java.io.OutputStream;

/** {@code parquet} as the command sees it. */
public final class ParquetForm implements ExportForm {
    /** Made by {@link java.util.ServiceLoader}. */
    public ParquetForm() {}

    @Override
    public String name() {
        return "parquet";
    }

    @Override
    public Result write(Order order, OutputStream out) throws IOException {
        ParquetExport export = ParquetExport.of(order.snapshot(), order.source())
                .range(order.range())
                .cancelWhen(order.cancelled())
                .progress(order.progress());
        for (Field column : order.columns()) {
            export.column(column.name(), column.type());
        }
        ParquetExport.Written written = export.write(out);
        return new Result(
                written.records(),
                written.completeness(),
                ColumnValues.remarks(written.unfitting(), written.repaired()));
    }
}
