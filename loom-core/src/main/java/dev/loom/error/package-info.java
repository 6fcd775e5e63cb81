/** The typed errors of a store. All are unchecked; each message names the values that it is about. */
@NullMarked
package dev.loom.error;

import org.jspecify.annotations.NullMarked;
