package dev.loom.query.where;

import dev.loom.query.where.Where.Literal;
import org.jspecify.annotations.Nullable;

/**
 * A token of an expression.
 *
 * @param position the index of its first character
 * @param end the index after its last character
 * @param text a name or text without its quotes; otherwise as written
 * @param number only for {@link TokenKind#NUMBER}
 */
record Token(TokenKind kind, int position, int end, String text, Literal.@Nullable Numeric number) {}
