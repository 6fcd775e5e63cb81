/** Walks over the records of a source, which read only the chunks that the plan and the operator want read. */
@NullMarked
package dev.loom.query.walk;

import org.jspecify.annotations.NullMarked;
