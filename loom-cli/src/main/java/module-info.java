/** The {@code loom} command. */
module dev.loom.cli {
    requires dev.loom.core;
    requires dev.loom.query;
    requires dev.loom.otlp;
    requires dev.loom.server;
    requires aircompressor; // has no descriptor
    requires com.fasterxml.jackson.core;
    requires info.picocli;
    requires java.net.http;
    requires static org.jspecify;

    uses dev.loom.query.service.ExportForm;

    opens dev.loom.cli to
            info.picocli;
    opens dev.loom.cli.completion to
            info.picocli;
    opens dev.loom.cli.demo to
            info.picocli;
    opens dev.loom.cli.export to
            info.picocli;
    opens dev.loom.cli.importing to
            info.picocli;
    opens dev.loom.cli.option to
            info.picocli;
    opens dev.loom.cli.query to
            info.picocli;
    opens dev.loom.cli.serve to
            info.picocli;
    opens dev.loom.cli.store to
            info.picocli;
}
