/** Ways of recording small events from many threads: Loom's recorder, and its peers; each is checked by what it has stored. */
@NullMarked
package dev.loom.bench.recording;

import org.jspecify.annotations.NullMarked;
