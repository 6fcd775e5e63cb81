package dev.loom.cli.completion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.Cli;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ManCommandTest {
    private static final Pattern MACRO = Pattern.compile("\\.(TH|SH|SS|B|I|PP|TP)( .*)?");

    private final Cli cli = new Cli();

    @Test
    void shouldDescribeAllCommandsAndOptions() {
        String page = cli.run("man").ok().out();
        for (String command : List.of("import", "scan", "source set", "index add", "serve", "completion", "man")) {
            assertTrue(page.contains("\n.SS loom " + command + '\n'), command);
        }
        assertTrue(page.contains("\n.TP\n.B \\-\\-max\\-bytes\\-read SIZE\n"), page);
        assertTrue(page.contains("130 interrupted"), page);
        assertFalse(page.contains("__names") || page.contains("${") || page.contains("%n"), page);
    }

    @Test
    void shouldHoldNoMacroButThoseMeant() {
        List<String> lines = cli.run("man").ok().lines();
        assertEquals(".TH LOOM 1", lines.get(0));
        lines.stream()
                .filter(line -> line.startsWith(".") || line.startsWith("'"))
                .forEach(line -> assertTrue(MACRO.matcher(line).matches(), line));
    }
}
