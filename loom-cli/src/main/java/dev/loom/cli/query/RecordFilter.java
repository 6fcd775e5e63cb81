package dev.loom.cli.query;

import dev.loom.cli.console.CommandFailure;
import dev.loom.format.PayloadFormat;
import dev.loom.query.RecordCursor;
import dev.loom.query.where.PayloadPredicate;
import dev.loom.query.where.Where;
import dev.loom.query.where.WhereSyntaxException;
import java.util.List;

/** Takes the records that all expressions hold for. For one thread. */
final class RecordFilter {
    private final List<PayloadPredicate> expressions;

    private RecordFilter(List<PayloadPredicate> expressions) {
        this.expressions = expressions;
    }

    /**
     * Binds expressions to a format.
     *
     * @throws CommandFailure for one that does not parse, or names a field that the format does not have
     */
    static RecordFilter of(List<String> texts, PayloadFormat format) {
        return new RecordFilter(texts.stream().map(text -> bind(text, format)).toList());
    }

    private static PayloadPredicate bind(String text, PayloadFormat format) {
        try {
            return Where.parse(text).bind(format);
        } catch (WhereSyntaxException e) {
            // The rest of the message points into the expression by a line of its own.
            String problem = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
            throw CommandFailure.usage("--where: " + problem + ", expression=" + text);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("--where: " + e.getMessage());
        }
    }

    boolean takes(RecordCursor record) {
        for (int i = 0; i < expressions.size(); i++) {
            if (!expressions.get(i).test(record.buffer(), record.offset(), record.length())) {
                return false;
            }
        }
        return true;
    }
}
