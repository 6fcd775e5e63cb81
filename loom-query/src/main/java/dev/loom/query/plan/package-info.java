/** What indexes say about a query, chunk by chunk: conditions made into ranges of keys. */
@NullMarked
package dev.loom.query.plan;

import org.jspecify.annotations.NullMarked;
