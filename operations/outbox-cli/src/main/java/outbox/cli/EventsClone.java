package outbox.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code outbox events clone}. */
@Command(
        name = "clone",
        description = {
            "Writes a copy of an event as a new event, which is delivered as usual.",
            "Options replace what the original has. Its header outbox-cloned-from names the original."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  outbox events clone 01KX5Y7QJ3W5V8ZC2M4N6P8R9S -m \"lost by the receiver\"",
            "  outbox events clone 01KX5Y7QJ3W5V8ZC2M4N6P8R9S --payload-file fixed.json --header region=eu"
        })
final class EventsClone extends ApiCommand {
    @Parameters(paramLabel = "ID", description = "id of the original")
    private String id = "";

    @Option(names = "--type", paramLabel = "TYPE", description = "event type")
    private @Nullable String type;

    @Option(names = "--aggregate-type", paramLabel = "TYPE", description = "aggregate type")
    private @Nullable String aggregateType;

    @Option(names = "--aggregate-id", paramLabel = "ID", description = "aggregate id")
    private @Nullable String aggregateId;

    @Option(names = "--tenant", paramLabel = "ID", description = "tenant id")
    private @Nullable String tenant;

    @Option(
            names = "--payload-file",
            paramLabel = "FILE",
            description = "file with the payload as JSON, or - for standard input")
    private @Nullable Path payloadFile;

    @Option(names = "--header", paramLabel = "NAME=VALUE", description = "a header; may be repeated")
    private Map<String, String> headers = new LinkedHashMap<>();

    @Option(names = "--remove-header", paramLabel = "NAME", description = "leaves a header out; may be repeated")
    private List<String> removed = List.of();

    @Option(
            names = {"-m", "--reason"},
            paramLabel = "TEXT",
            description = "reason, recorded in the audit log")
    private @Nullable String reason;

    @Override
    int call(Api api, String app) {
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        put(body, "type", type);
        put(body, "aggregateType", aggregateType);
        put(body, "aggregateId", aggregateId);
        put(body, "tenant", tenant);
        put(body, "reason", reason);
        if (payloadFile != null) {
            body.put("payload", payload(payloadFile));
        }
        Map<String, @Nullable String> edited = new LinkedHashMap<>(headers);
        removed.forEach(name -> edited.put(name, null));
        if (!edited.isEmpty()) {
            body.put("headers", edited);
        }
        JsonNode made = api.post(app + "/events/" + Api.segment(id) + "/clone", body);
        if (screen.isJson()) {
            screen.json(spec, made);
        } else {
            TextTable table = new TextTable("ID", "CLONED FROM");
            table.add(made.path("id").asString(""), made.path("clonedFrom").asString(""));
            screen.table(spec, table);
        }
        return ExitCode.OK;
    }

    private static void put(Map<String, @Nullable Object> body, String name, @Nullable String value) {
        if (value != null) {
            body.put(name, value);
        }
    }

    private static String payload(Path file) {
        try {
            return file.toString().equals("-")
                    ? new String(System.in.readAllBytes(), StandardCharsets.UTF_8)
                    : Files.readString(file);
        } catch (IOException e) {
            throw new CliException(ExitCode.CANNOT_RUN, "cannot read the payload from " + file + ": " + e.getMessage());
        }
    }
}
