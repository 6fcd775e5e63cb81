/**
 * Ways of recording small events from many threads: Loom's recorder and its peers. The stored events of each are read back and
 * checked.
 */
@NullMarked
package dev.loom.bench.recording;

import org.jspecify.annotations.NullMarked;
