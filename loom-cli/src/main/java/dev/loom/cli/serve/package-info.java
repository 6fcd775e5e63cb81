/** The command that runs a server as a process of its own, the sidecar. */
@NullMarked
package dev.loom.cli.serve;

import org.jspecify.annotations.NullMarked;
