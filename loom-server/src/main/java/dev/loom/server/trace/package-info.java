/** What the APIs of other tracing systems have in common: their parameters, and the questions about spans that they ask. */
@NullMarked
package dev.loom.server.trace;

import org.jspecify.annotations.NullMarked;
