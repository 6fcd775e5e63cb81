/** Values of records as typed columns, for forms of output that have such: which columns there are, and what fits into them. */
@NullMarked
package dev.loom.query.column;

import org.jspecify.annotations.NullMarked;
