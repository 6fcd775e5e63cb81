/** Options that several commands share, and the source of their defaults. */
@NullMarked
package dev.loom.cli.option;

import org.jspecify.annotations.NullMarked;
