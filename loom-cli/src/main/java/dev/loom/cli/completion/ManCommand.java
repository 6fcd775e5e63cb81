package dev.loom.cli.completion;

import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.server.text.TextBuffer;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code loom man}: the manual page. */
@Command(
        name = "man",
        description = "Prints the manual page of all commands; read it with man -l.",
        mixinStandardHelpOptions = true)
public final class ManCommand implements Callable<Integer> {
    private final Console console;

    @Spec
    private @Nullable CommandSpec spec;

    public ManCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        TextBuffer page = new TextBuffer(64 * 1024);
        page.put(ManPage.of(Objects.requireNonNull(spec).root()));
        console.out().write(page);
        return ExitCode.OK;
    }
}
