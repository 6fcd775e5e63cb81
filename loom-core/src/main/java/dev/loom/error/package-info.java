/** A store's exceptions by type. All are unchecked, and each message contains the values concerned. */
@NullMarked
package dev.loom.error;

import org.jspecify.annotations.NullMarked;
