package dev.loom.format;

import java.util.ArrayList;
import java.util.List;

/** A format has no field with this name. The message lists the fields that it has. */
public final class UnknownFieldException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private static final int FIELDS_NAMED_MAX = 32;

    private final String field;

    /** Makes an error for a field that a format does not have. */
    public UnknownFieldException(String field, PayloadFormat format) {
        super("unknown field: field=" + field + ", format=" + format.name() + ", fields=" + known(format)
                + (format.failure() == null ? "" : ", read as bytes because=" + format.failure()));
        this.field = field;
    }

    /** The requested name. */
    public String field() {
        return field;
    }

    /** The fields that a format has, cut off where the list gets too long to read. */
    public static String known(PayloadFormat format) {
        List<String> names = new ArrayList<>();
        format.fields().stream().limit(FIELDS_NAMED_MAX).map(Field::name).forEach(names::add);
        format.fieldPrefixes().stream().sorted().map(prefix -> prefix + '*').forEach(names::add);
        int more = format.fields().size() - FIELDS_NAMED_MAX;
        return names + (more > 0 ? " and " + more + " more" : "");
    }
}
