/** Options that several commands have, and where their defaults come from. */
@NullMarked
package dev.loom.cli.option;

import org.jspecify.annotations.NullMarked;
