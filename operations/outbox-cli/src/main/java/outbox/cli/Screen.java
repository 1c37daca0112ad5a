package outbox.cli;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Output options of every command that prints. */
final class Screen {
    static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    /** Without line breaks. */
    static final JsonMapper LINE = JsonMapper.shared();

    /** Output formats. */
    enum Form {
        table,
        json
    }

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORM",
            defaultValue = "table",
            description = "output format, table or json; default: ${DEFAULT-VALUE}")
    private Form form = Form.table;

    boolean isJson() {
        return form == Form.json;
    }

    static PrintWriter out(CommandSpec spec) {
        return spec.commandLine().getOut();
    }

    void json(CommandSpec spec, JsonNode node) {
        out(spec).println(JSON.writeValueAsString(node));
    }

    void table(CommandSpec spec, TextTable table) {
        table.print(out(spec), ansi(spec), width(spec));
    }

    static Ansi ansi(CommandSpec spec) {
        return spec.commandLine().getColorScheme().ansi();
    }

    /** Whether to use colors, truncated lines and progress bars: only on a terminal. */
    static boolean isTerminal(CommandSpec spec) {
        return ansi(spec).enabled();
    }

    private static int width(CommandSpec spec) {
        return isTerminal(spec) ? spec.usageMessage().width() : 0;
    }

    static void say(CommandSpec spec, String line) {
        CommandLine command = spec.commandLine();
        command.getErr().println(line);
        command.getErr().flush();
    }
}
