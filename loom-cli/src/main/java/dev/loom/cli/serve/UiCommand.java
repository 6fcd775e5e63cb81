package dev.loom.cli.serve;

import dev.loom.cli.console.CommandFailure;
import dev.loom.cli.console.Console;
import dev.loom.cli.console.ExitCode;
import dev.loom.cli.option.StoreOption;
import dev.loom.otlp.file.FileFailure;
import dev.loom.otlp.server.Endpoint;
import dev.loom.server.LoomServer;
import dev.loom.server.ServerSettings;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code loom ui}: the page, of any store. */
@Command(
        name = "ui",
        description = "Serves the page of a store until Ctrl-C, and opens it in a browser.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "The store is only read; another process may write it. A sidecar serves the page",
            "itself, at the address of its API. BROWSER names a browser other than the usual."
        })
public final class UiCommand implements Callable<Integer> {
    private static final Duration LOOK_EVERY = Duration.ofMinutes(1);

    private final Console console;

    @Mixin
    private StoreOption store = new StoreOption();

    @Option(
            names = "--http",
            paramLabel = "ADDRESS",
            defaultValue = "localhost:0",
            description = "Serves at this address, HOST:PORT; by default at any free port of this machine.")
    private String address = "localhost:0";

    @Option(names = "--no-browser", fallbackValue = "true", description = "Prints the address and opens no browser.")
    private boolean noBrowser;

    public UiCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws InterruptedException {
        try (LoomServer server = LoomServer.attach(store.directory(), settings())) {
            String page = "http://" + server.addresses().get("http") + "/";
            console.say("page: " + page);
            if (!noBrowser && console.outTerminal()) {
                browse(page);
            }
            while (!console.interruption().await(LOOK_EVERY)) {
                // the server's threads answer
            }
        } catch (IOException e) {
            throw new CommandFailure(ExitCode.STORE, FileFailure.describe(e), e);
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage(String.valueOf(e.getMessage()));
        }
        return ExitCode.OK;
    }

    private ServerSettings settings() {
        return ServerSettings.builder()
                .api(Endpoint.parse(address))
                .onNotice(console::say)
                .build();
    }

    /** Where there is no browser, the address was printed. */
    private void browse(String page) {
        String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        String browser = console.environment().getOrDefault("BROWSER", "");
        if (!browser.isEmpty()) {
            start(browser, page);
        } else if (system.contains("mac")) {
            start("open", page);
        } else if (system.contains("windows")) {
            start("rundll32", "url.dll,FileProtocolHandler", page);
        } else if (!start("setsid", "xdg-open", page)) { // Ctrl-C would end a browser of this terminal, too
            start("xdg-open", page);
        }
    }

    private static boolean start(String... command) {
        try {
            new ProcessBuilder(command)
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start();
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
