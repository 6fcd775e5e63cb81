package dev.loom.format;

import java.util.ArrayList;
import java.util.List;

/** A format has no field of a name. The message tells which it has. */
public final class UnknownFieldException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private static final int FIELDS_NAMED_MAX = 32;

    private final String field;

    /** Tells of a field that a format does not have. */
    public UnknownFieldException(String field, PayloadFormat format) {
        super("unknown field: field=" + field + ", format=" + format.name() + ", fields=" + known(format));
        this.field = field;
    }

    /** The name that was asked for. */
    public String field() {
        return field;
    }

    /** The fields that a format has, so many as one can read. */
    public static String known(PayloadFormat format) {
        List<String> names = new ArrayList<>();
        format.fields().stream().limit(FIELDS_NAMED_MAX).map(Field::name).forEach(names::add);
        format.fieldPrefixes().stream().sorted().map(prefix -> prefix + '*').forEach(names::add);
        int more = format.fields().size() - FIELDS_NAMED_MAX;
        return names + (more > 0 ? " and " + more + " more" : "");
    }
}
