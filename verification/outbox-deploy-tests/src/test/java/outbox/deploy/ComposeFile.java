package outbox.deploy;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The part of the Compose specification that our file uses. Reading is strict: a field that is not here is refused, so
 * whoever uses another one adds it here, with its type of the specification.
 */
record ComposeFile(Map<String, Service> services, Map<String, Map<String, Object>> volumes) {

    record Service(
            String image,
            @Nullable Build build,
            Map<String, String> environment,
            @Nullable List<String> ports,
            @Nullable List<String> volumes,
            @Nullable Map<String, Dependency> depends_on,
            @Nullable HealthCheck healthcheck,
            @Nullable Boolean read_only,
            @Nullable List<String> tmpfs,
            @Nullable List<String> cap_drop,
            @Nullable List<String> security_opt,
            @Nullable String stop_grace_period,
            String restart) {}

    record Build(
            String context, String dockerfile, @Nullable Map<String, String> args) {}

    record Dependency(String condition) {}

    record HealthCheck(List<String> test, String interval, String timeout, int retries) {}
}
