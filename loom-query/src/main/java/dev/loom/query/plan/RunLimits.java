package dev.loom.query.plan;

import dev.loom.query.model.Cancellation;
import dev.loom.query.model.QueryBudget;
import dev.loom.query.model.QueryMemory;

/**
 * What bounds the run of a query.
 *
 * @param pulse called by the query's thread about once a page
 * @param memory where the query reserves its memory while it is open
 */
public record RunLimits(QueryBudget budget, Cancellation cancellation, Runnable pulse, QueryMemory memory) {}
