package dev.loom.cli.completion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.loom.cli.Cli;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CompletionCommandTest {
    @TempDir
    Path directory;

    private Cli cli = new Cli();

    @Test
    void shouldCompleteInBashAndZsh() {
        String bash = cli.run("completion", "bash").ok().out();
        assertTrue(bash.startsWith("#!/usr/bin/env bash\n"), bash.substring(0, 40));
        assertTrue(bash.contains("complete -F _complete_loom -o default loom"), "complete");
        assertTrue(bash.contains("--max-bytes-read"), "options");
        assertEquals(bash, cli.run("completion", "zsh").ok().out());
    }

    @Test
    void shouldCompleteNamesThatTheStoreHasInBash() throws Exception {
        Path store = directory.resolve("store");
        cli = Cli.onSmallStore(store);
        cli.importText("requests", "csv", "op,latency_ns\nGET,5\n").ok();
        cli.importText("remarks", "jsonl", "{\"user\":{\"id\":7},\"text\":\"a\"}\n")
                .ok();
        cli.run("index", "add", "requests", "latency_ns").ok();
        Path loom = directory.resolve("loom");
        Files.writeString(
                loom,
                "#!/bin/sh\nexec '" + System.getProperty("java.home") + "/bin/java' -cp '"
                        + System.getProperty("java.class.path") + "' dev.loom.cli.Main \"$@\"\n");
        assertTrue(loom.toFile().setExecutable(true));
        Path script = Files.writeString(
                directory.resolve("loom.bash"),
                cli.run("completion", "bash").ok().out());
        StringBuilder shell = new StringBuilder("export LOOM_DIR='" + store + "'\nsource '" + script + "'\n"
                + "words() { COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); COMPREPLY=();"
                + " _complete_loom_names '' \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD-1]}\";"
                + " echo ${COMPREPLY[@]}; }\ncomplete -p loom | sed 's/.*-F //'\n");
        List<List<String>> typed = List.of(
                List.of("scan", "re"),
                List.of("agg", "requests", "lat"),
                List.of("scan", "remarks", "--fields", "text,us"),
                List.of("correlate", "requests", "latency_ns", "--with", "rem"),
                List.of("index", "close", "requests", ""),
                List.of("scan", "requests", "--where", "o"),
                List.of("sc"),
                List.of("scan", "requests", "--as"),
                List.of("--dir", "/none", "scan", "re"));
        typed.forEach(words -> shell.append("words '")
                .append(loom)
                .append("' '")
                .append(String.join("' '", words))
                .append("'\n"));
        Process bash = new ProcessBuilder("bash", "-c", shell.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String out = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, bash.waitFor(), out);
        assertEquals(
                List.of(
                        "_complete_loom_names loom",
                        "remarks requests",
                        "latency_ns",
                        "text,user.id",
                        "remarks",
                        "latency_ns",
                        "op",
                        "scan",
                        "--asc",
                        ""),
                out.lines().toList());
    }

    /** Names come from telemetry: none may be taken for files, or run. */
    @Test
    void shouldQuoteNamesInBash() throws Exception {
        Path loom = Files.writeString(
                directory.resolve("loom"), "#!/bin/sh\nprintf '%s\\n' 'x*' 'x$(echo)b' \"xit's\" 'x;y'\n");
        assertTrue(loom.toFile().setExecutable(true));
        Files.writeString(directory.resolve("xfile"), "");
        Path script = Files.writeString(
                directory.resolve("loom.bash"),
                cli.run("completion", "bash").ok().out());
        Process bash = new ProcessBuilder(
                        "bash",
                        "-c",
                        "source '" + script + "'; COMP_WORDS=('" + loom + "' scan x); COMP_CWORD=2; COMPREPLY=();"
                                + " _complete_loom_names '' x scan; printf '%s\n' \"${COMPREPLY[@]}\"")
                .directory(directory.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String out = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, bash.waitFor(), out);
        assertEquals(
                List.of("x\\*", "x\\$\\(echo\\)b", "xit\\'s", "x\\;y"),
                out.lines().toList());
    }

    @Test
    void shouldNameNothingThatCannotBeTold() {
        cli.run("__names").ok().prints("");
        cli.run("__names", "--", "scan").ok().prints("");
        cli.run("__names", "--", "scan", "a").ok().prints("");
        Cli.on(directory.resolve("none")).run("__names", "--", "scan", "a").ok().prints("");
        assertFalse(cli.run("--help").ok().out().contains("__names"));
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
                                + " -a 'table json csv csv-safe arrow raw' -d 'table, json, csv, csv-safe, arrow, raw; by default table on a terminal, else json.'"),
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
