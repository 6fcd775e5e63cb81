package dev.loom.cli.completion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.Cli;
import java.util.List;
import org.junit.jupiter.api.Test;

class CompletionCommandTest {
    private final Cli cli = new Cli();

    @Test
    void shouldCompleteInBashAndZsh() {
        String bash = cli.run("completion", "bash").ok().out();
        assertTrue(bash.startsWith("#!/usr/bin/env bash\n"), bash.substring(0, 40));
        assertTrue(bash.contains("complete -F _complete_loom -o default loom"), "complete");
        assertTrue(bash.contains("--max-bytes-read"), "options");
        assertEquals(bash, cli.run("completion", "zsh").ok().out());
    }

    @Test
    void shouldCompleteInFish() {
        List<String> lines = cli.run("completion", "fish").ok().lines();
        assertTrue(
                lines.contains("complete -c loom -n '__fish_use_subcommand' -f -a 'scan'"
                        + " -d 'Prints the records of a source in a time range, newest first.'"),
                String.join("\n", lines));
        assertTrue(
                lines.contains(
                        "complete -c loom -n '__fish_seen_subcommand_from scan' -s o -l output -r -f"
                                + " -a 'table json csv csv-safe raw' -d 'table, json, csv, csv-safe, raw; by default table on a terminal, else json.'"),
                String.join("\n", lines));
        assertTrue(
                lines.contains("complete -c loom -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'"),
                String.join("\n", lines));
        assertTrue(
                lines.contains("complete -c loom -n '__fish_seen_subcommand_from source;"
                        + " and not __fish_seen_subcommand_from add close set' -f -a 'add' -d 'Defines a source.'"),
                String.join("\n", lines));
        assertTrue(
                lines.stream()
                        .anyMatch(line -> line.startsWith("complete -c loom -n '__fish_seen_subcommand_from source;"
                                + " and __fish_seen_subcommand_from add' -l fields -r")),
                String.join("\n", lines));
    }

    @Test
    void shouldRefuseOtherShells() {
        cli.run("completion", "tcsh")
                .exit(2)
                .says("Invalid value for positional parameter at index 0 (SHELL): expected one of bash, zsh, fish but"
                        + " was 'tcsh'; see loom completion --help");
    }
}
