/** Times in requests and in records: texts, epochs, clocks. */
@NullMarked
package dev.loom.server.time;

import org.jspecify.annotations.NullMarked;
