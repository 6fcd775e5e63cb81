package dev.loom.query.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.format.Formats;
import dev.loom.query.where.Where;
import dev.loom.text.TokenCondition;
import dev.loom.text.TokenDigest;
import dev.loom.text.TokenReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** What is necessary for an expression, where words and regular expressions compare letters otherwise. */
final class TokenTermsTest {
    private static TokenCondition of(String regex) {
        return TokenTerms.of(Where.parse("line =~ \"" + regex + "\""));
    }

    /** A word is read a number of marks at a time, and what is read of it must not be composed again. */
    @Test
    void shouldAskForAWordOfManyMarksAsItIsRead() {
        for (int marks : new int[] {1, 62, 63, 64, 65, 130}) {
            String word = "a" + "\u0300".repeat(marks) + "\u0323";
            byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
            TokenReader reader = new TokenReader();
            reader.wrap(new UnsafeBuffer(bytes), 0, bytes.length);
            assertTrue(reader.next());
            assertEquals(
                    TokenCondition.all(List.of(new TokenCondition.Word("line", TokenDigest.of(reader)))),
                    TokenTerms.of(Where.parse("line matches \"" + word + "\"")),
                    "marks=" + marks);
        }
    }

    /** The small iota below another letter is that letter's part as a word is read, and an iota to a regular expression. */
    @Test
    void shouldAskForNoWordsWithAnIotaWhereCaseDoesNotCount() {
        for (String iota : new String[] {"\u0345", "\u0399", "\u03B9", "\u1FBE"}) {
            String regex = " \u03B1" + iota + " ";
            assertEquals(TokenCondition.NONE, of("(?i)" + regex));
            assertNotEquals(TokenCondition.NONE, of(regex));
        }
        assertNotEquals(TokenCondition.NONE, of("(?i) \u03B1 "));
        byte[] line = "x \u03B1\u0345 y".getBytes(StandardCharsets.UTF_8);
        assertTrue(Where.parse("line =~ \"(?i) \u03B1\u03B9 \"")
                .bind(Formats.text())
                .test(new UnsafeBuffer(line), 0, line.length));
    }
}
