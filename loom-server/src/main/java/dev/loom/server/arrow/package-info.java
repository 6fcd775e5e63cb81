/**
 * Answers as streams of Apache Arrow: a message with the schema, then batches of bounded size whose memory is used again, at last an empty
 * batch with the outcome.
 */
@NullMarked
package dev.loom.server.arrow;

import org.jspecify.annotations.NullMarked;
