/**
 * The messages of OTLP, each with its fields: what checks requests and reads their JSON form goes by.
 *
 * <p>Written down from the proto files of OTLP 1.10; tests compare it with the official descriptors. Immutable.
 */
@NullMarked
package dev.loom.otlp.schema;

import org.jspecify.annotations.NullMarked;
