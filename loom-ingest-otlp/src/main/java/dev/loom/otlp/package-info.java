/** The OTLP receiver. */
@NullMarked
package dev.loom.otlp;

import org.jspecify.annotations.NullMarked;
