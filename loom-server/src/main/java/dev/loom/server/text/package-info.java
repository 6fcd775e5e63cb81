/** Characters and numbers as bytes: UTF-8, JSON, and characters that must not reach a terminal. */
@NullMarked
package dev.loom.server.text;

import org.jspecify.annotations.NullMarked;
