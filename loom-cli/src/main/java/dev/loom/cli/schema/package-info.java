/** A store's schema as commands look it up and change it: in a store of their own, or in one that a sidecar has. */
@NullMarked
package dev.loom.cli.schema;

import org.jspecify.annotations.NullMarked;
