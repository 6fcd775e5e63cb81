package dev.loom.bench.search;

import java.util.List;

/**
 * What all sides are asked.
 *
 * @param words as they are written in the log; a record has to have all of them
 */
public record Question(Kind kind, List<String> words) {
    /** How many of the newest records a question asks for. */
    static final int LIMIT = 10;

    /** What is asked of the words. */
    public enum Kind {
        /** The newest records that have the words. */
        WORDS,
        /** The newest records with a word that begins so. */
        PREFIX,
        /** How many records have the word, by time. */
        COUNT
    }

    static Question words(String... words) {
        return new Question(Kind.WORDS, List.of(words));
    }

    static Question prefix(String prefix) {
        return new Question(Kind.PREFIX, List.of(prefix));
    }

    static Question count(String word) {
        return new Question(Kind.COUNT, List.of(word));
    }
}
