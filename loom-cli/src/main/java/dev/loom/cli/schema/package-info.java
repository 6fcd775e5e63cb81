/** Lets commands look up and change a store's schema, in the store itself or through the sidecar that has it open. */
@NullMarked
package dev.loom.cli.schema;

import org.jspecify.annotations.NullMarked;
