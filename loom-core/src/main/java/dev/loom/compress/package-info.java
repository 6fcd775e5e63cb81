/**
 * Compression of old pages of records: by columns, then by LZ4. It needs {@code io.airlift:aircompressor}, which the store
 * otherwise does without.
 */
@NullMarked
package dev.loom.compress;

import org.jspecify.annotations.NullMarked;
