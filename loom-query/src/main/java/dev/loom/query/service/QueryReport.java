package dev.loom.query.service;

import dev.loom.query.model.Completeness;
import dev.loom.query.model.QueryStatistics;

/**
 * How a query ended.
 *
 * @param completeness what the answer lacks
 * @param statistics the work of all scans
 * @param scans how many scans the answer took
 * @param withoutTime records left out because they carry no time
 * @param withoutTimeCounted whether that is their number; otherwise it only says that there are any, as indexes leave out some of them and
 *     several passes meet them again
 */
public record QueryReport(
        Completeness completeness,
        QueryStatistics statistics,
        int scans,
        long withoutTime,
        boolean withoutTimeCounted) {}
