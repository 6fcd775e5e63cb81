package dev.loom.store;

import dev.loom.filter.UnitFiles;
import dev.loom.record.SourceTable;
import dev.loom.rollup.RunFiles;
import dev.loom.schema.Schema;
import dev.loom.schema.SchemaLog;
import org.jspecify.annotations.Nullable;

/** What opening found and made, for the session that begins. */
record OpeningResult(
        Settings settings,
        StoreFiles files,
        Tenure tenure,
        Mark mark,
        Staging staging,
        StoreLogs closedLogs,
        SchemaLog schemaLog,
        Schema schema,
        SourceTable table,
        @Nullable Recovery recovery,
        @Nullable IndexCheck unchecked,
        boolean direct,
        @Nullable String cachedFor,
        UnitFiles text,
        RunFiles runs) {}
