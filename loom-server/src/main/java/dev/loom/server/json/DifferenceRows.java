package dev.loom.server.json;

import dev.loom.format.PayloadFormat;
import dev.loom.query.Difference;
import dev.loom.query.Difference.Finding;
import dev.loom.query.Difference.Part;
import dev.loom.query.service.DifferenceRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Differences as rows of named values, as JSON has them. */
public final class DifferenceRows {
    private DifferenceRows() {}

    /** The findings that are shown. */
    public static List<Finding> shown(DifferenceRequest request, Difference.Result found) {
        return found.findings()
                .subList(0, Math.min(request.limit(), found.findings().size()));
    }

    /** A row for each finding, the one that tells most first. */
    public static void forEach(
            DifferenceRequest request, Difference.Result found, Consumer<Map<String, @Nullable Object>> rows) {
        PayloadFormat format = request.records().source().format();
        shown(request, found).forEach(finding -> rows.accept(row(finding, format)));
    }

    private static Map<String, @Nullable Object> row(Finding finding, PayloadFormat format) {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        if (finding.parts().size() == 1) {
            row.putAll(part(finding.parts().get(0), format));
        } else {
            row.put("all", parts(finding.parts(), format));
        }
        row.put("selected", finding.selected());
        row.put("selected_of", finding.selectedOf());
        row.put("against", finding.against());
        row.put("against_of", finding.againstOf());
        row.put("risk_ratio", finding.riskRatio());
        row.put("interval", List.of(finding.riskRatioLow(), finding.riskRatioHigh()));
        row.put("information", finding.information());
        row.put("probability", finding.probability());
        finding.where().ifPresent(where -> row.put("where", where.toString()));
        if (finding.isExact()) {
            row.put("exactly_selected", true);
        }
        if (!finding.same().isEmpty()) {
            row.put("same", parts(finding.same(), format));
        }
        Difference.Shift shift = finding.shift();
        if (shift != null) {
            Map<String, @Nullable Object> shifted = new LinkedHashMap<>();
            shifted.put("distance", shift.distance());
            shifted.put("selected_quartiles", shift.selected());
            shifted.put("against_quartiles", shift.against());
            row.put("shift", shifted);
        }
        return row;
    }

    private static List<Map<String, @Nullable Object>> parts(List<Part> parts, PayloadFormat format) {
        return parts.stream().map(part -> part(part, format)).toList();
    }

    private static Map<String, @Nullable Object> part(Part part, PayloadFormat format) {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("field", part.field());
        if (part.isRange()) {
            row.put("low", part.low());
            row.put("high", part.high());
        } else {
            row.put("value", value(part, format));
        }
        return row;
    }

    /** The value of a part that is no range. */
    public static @Nullable FieldCell value(Part part, PayloadFormat format) {
        return part.value() == null
                ? null
                : new FieldCell(part.value(), FieldCell.hasSinglePrecision(format, part.field()));
    }

    /** What was compared, in one row. */
    static Map<String, @Nullable Object> summary(Difference.Result found) {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("selected", found.selected());
        row.put("against", found.against());
        row.put("findings", found.findings().size());
        row.put("fields", found.fields());
        row.put("fields_left_out", found.ignored());
        row.put("more_fields", found.hasMoreFields());
        row.put("support_min", found.supportMin());
        row.put("overlooked_max", found.overlookedMax());
        row.put("comparisons", found.comparisons());
        row.put("combined", found.isCombined());
        return row;
    }
}
