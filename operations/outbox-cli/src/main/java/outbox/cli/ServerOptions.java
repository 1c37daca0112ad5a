package outbox.cli;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Control center, token and application options. */
final class ServerOptions {
    @Option(
            names = {"-s", "--server"},
            paramLabel = "URL",
            defaultValue = "${env:OUTBOX_SERVER:-http://localhost:8090/outbox}",
            description = "URL of the control center; default: OUTBOX_SERVER, or http://localhost:8090/outbox")
    private URI server = URI.create("http://localhost:8090/outbox");

    @Option(
            names = {"-a", "--app"},
            paramLabel = "NAME",
            defaultValue = "${env:OUTBOX_APP:-}",
            description = "name of the application; default: OUTBOX_APP, or the only one there is")
    private String app = "";

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "file with the API token; default: the environment variable OUTBOX_TOKEN")
    private @Nullable Path tokenFile;

    @Option(names = "--ask-token", description = "ask for the API token")
    private boolean askToken;

    @Option(names = "--token", hidden = true, arity = "0..1")
    private @Nullable String tokenArgument;

    @Option(names = "--allow-http", description = "allow sending the token unencrypted to another machine")
    private boolean allowHttp;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "30",
            description = "response timeout in seconds; default: ${DEFAULT-VALUE}")
    private int timeout = 30;

    Api api() {
        if (tokenArgument != null) {
            throw Secret.notAsArgument("token", "OUTBOX_TOKEN", "--token-file or --ask-token");
        }
        if (server.getHost() == null
                || server.getScheme() == null
                || !server.getScheme().matches("https?")) {
            throw new CliException(
                    ExitCode.CANNOT_RUN,
                    "--server must be a URL like https://outbox.example.com/outbox, not " + server);
        }
        if (timeout < 1) {
            throw new CliException(ExitCode.CANNOT_RUN, "--timeout must be 1 or more, not " + timeout);
        }
        String token = Secret.find("API token", tokenFile, askToken, "OUTBOX_TOKEN");
        if (token != null && !token.matches("[!-~]+")) {
            throw new CliException(
                    ExitCode.NOT_LOGGED_IN,
                    "the API token is invalid: it contains a line break or another character that is not allowed");
        }
        if (token != null && server.getScheme().equals("http") && !allowHttp && !isThisMachine(server.getHost())) {
            throw new CliException(
                    ExitCode.CANNOT_RUN,
                    "the token would be sent to " + server.getHost()
                            + " unencrypted; use https, or --allow-http on a trusted network");
        }
        return new Api(server, token, Duration.ofSeconds(timeout));
    }

    /** The selected application, or the only one. */
    String app(Api api) {
        return app.isBlank() ? api.onlyApplication() : app;
    }

    private static boolean isThisMachine(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
