/** Files, mappings and the operating system: every access of the store to any of them goes through here. Internal. */
@NullMarked
package dev.loom.io;

import org.jspecify.annotations.NullMarked;
