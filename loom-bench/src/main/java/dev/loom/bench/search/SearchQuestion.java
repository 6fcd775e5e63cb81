package dev.loom.bench.search;

import java.util.List;

/**
 * What all sides are asked.
 *
 * @param words as they are written in the log; a record has to have all of them
 */
public record SearchQuestion(Kind kind, List<String> words) {
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

    static SearchQuestion words(String... words) {
        return new SearchQuestion(Kind.WORDS, List.of(words));
    }

    static SearchQuestion prefix(String prefix) {
        return new SearchQuestion(Kind.PREFIX, List.of(prefix));
    }

    static SearchQuestion count(String word) {
        return new SearchQuestion(Kind.COUNT, List.of(word));
    }
}
