package dev.loom.parquet.command;

import dev.loom.format.Field;
import dev.loom.parquet.ParquetExport;
import dev.loom.query.service.ExportForm;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

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
        List<String> remarks = new ArrayList<>();
        if (written.unfitting() > 0) {
            remarks.add("values that their column can't hold are null: values=" + written.unfitting());
        }
        if (written.repaired() > 0) {
            remarks.add("texts that are not UTF-8 have U+FFFD where they are not: values=" + written.repaired());
        }
        return new Result(written.records(), written.completeness(), remarks);
    }
}
