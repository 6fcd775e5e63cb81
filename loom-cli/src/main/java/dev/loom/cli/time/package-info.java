/** Times on the command line and in the records themselves: texts, epochs, clocks, ranges. */
@NullMarked
package dev.loom.cli.time;

import org.jspecify.annotations.NullMarked;
