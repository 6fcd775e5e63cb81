package dev.loom.cli.logtime;

import dev.loom.api.ValueUnit;
import dev.loom.format.Field;
import dev.loom.format.FieldReader;
import dev.loom.format.Formats;
import dev.loom.format.IndexedText;
import dev.loom.format.StructFormat;
import dev.loom.server.time.EventTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A source of lines whose times are known: each record has its time, if there is one, and its lines as they were. */
public final class LogLines {
    private static final String TIME_FIELD = "event_time";
    private static final String LINE_FIELD = "line";

    /** The format of such a source. */
    public static final StructFormat FORMAT = Formats.struct(
            List.of(new Field(TIME_FIELD, Field.Type.I64, true), new Field(LINE_FIELD, Field.Type.UTF8, false)));

    public static final int TIME_INDEX = 0;
    public static final int LINE_INDEX = 1;

    public static final FieldReader LINE_READER = Objects.requireNonNull(FORMAT.field(LINE_FIELD));

    public static final EventTime EVENT_TIME = new EventTime(TIME_FIELD, null, ValueUnit.NANOSECONDS, false);

    /** Lines are searched for words, as those of a source of text are. */
    public static final Map<String, String> ATTRIBUTES =
            Map.of(IndexedText.ATTRIBUTE, IndexedText.words(LINE_FIELD).toString());

    private LogLines() {}
}
