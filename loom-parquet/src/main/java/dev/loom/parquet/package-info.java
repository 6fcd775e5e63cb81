/** Records of a store as Parquet files. */
@NullMarked
package dev.loom.parquet;

import org.jspecify.annotations.NullMarked;
