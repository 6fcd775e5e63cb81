/** Characters and numbers as bytes: UTF-8, what may not reach a terminal. */
@NullMarked
package dev.loom.cli.text;

import org.jspecify.annotations.NullMarked;
