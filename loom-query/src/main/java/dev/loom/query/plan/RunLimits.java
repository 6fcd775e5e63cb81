package dev.loom.query.plan;

import dev.loom.query.model.QueryBudget;
import dev.loom.query.model.QueryMemory;
import java.util.function.BooleanSupplier;

/**
 * What bounds the run of a query.
 *
 * @param pulse called by the query's thread about once a page
 * @param memory where the query reserves its memory while it is open
 */
public record RunLimits(QueryBudget budget, BooleanSupplier cancelled, Runnable pulse, QueryMemory memory) {}
