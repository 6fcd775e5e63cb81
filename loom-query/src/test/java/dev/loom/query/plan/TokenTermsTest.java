package dev.loom.query.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.format.Formats;
import dev.loom.query.where.Where;
import dev.loom.text.TokenCondition;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** What is necessary for an expression, where words and regular expressions compare letters otherwise. */
final class TokenTermsTest {
    private static TokenCondition of(String regex) {
        return TokenTerms.of(Where.parse("line =~ \"" + regex + "\""));
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
