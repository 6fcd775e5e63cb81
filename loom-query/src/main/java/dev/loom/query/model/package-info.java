/** Values of questions and answers: what a query asks, within which limits, what its answer lacks, and what it cost. */
@NullMarked
package dev.loom.query.model;

import org.jspecify.annotations.NullMarked;
