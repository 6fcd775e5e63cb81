/** A store's schema, looked up and changed in the store itself or through the server that has it open. */
@NullMarked
package dev.loom.server.schema;

import org.jspecify.annotations.NullMarked;
