/** Sockets in the file system, and what failed of files. For the servers and the command alone. */
@NullMarked
package dev.loom.otlp.file;

import org.jspecify.annotations.NullMarked;
