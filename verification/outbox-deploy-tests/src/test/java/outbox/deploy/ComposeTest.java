package outbox.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The compose file has no unknown field, and its services fit together. */
class ComposeTest {
    private static final JsonMapper STRICT = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    static ComposeFile read() throws IOException {
        return STRICT.convertValue(DeployFiles.documents(DeployFiles.COMPOSE).get(0), ComposeFile.class);
    }

    @Test
    void everyFieldIsKnown() throws IOException {
        assertThat(read().services()).containsOnlyKeys("database", "shop", "control-center");
        String bad = STRICT.writeValueAsString(
                        DeployFiles.documents(DeployFiles.COMPOSE).get(0))
                .replace("\"stop_grace_period\"", "\"stop_grace\"");
        assertThatThrownBy(() -> STRICT.readValue(bad, ComposeFile.class))
                .isInstanceOf(JacksonException.class)
                .hasMessageContaining("stop_grace");
    }

    @Test
    void servicesBuildOurImagesAndWaitForTheDatabase() throws IOException {
        for (Map.Entry<String, ComposeFile.Service> entry : read().services().entrySet()) {
            ComposeFile.Service service = entry.getValue();
            if (entry.getKey().equals("database")) {
                assertThat(service.healthcheck()).isNotNull();
                assertThat(service.ports()).as("the database is not published").isNull();
                continue;
            }
            assertThat(DeployFiles.MODULES).containsKey(service.image());
            assertThat(DeployFiles.DIRECTORY
                            .resolve(service.build().context())
                            .resolve(service.build().dockerfile())
                            .normalize())
                    .isEqualTo(DeployFiles.DOCKERFILE);
            Map<String, String> arguments =
                    service.build().args() == null ? Map.of() : service.build().args();
            String dockerfile = Files.readString(DeployFiles.DOCKERFILE);
            arguments.keySet().forEach(name -> assertThat(dockerfile).contains("\nARG " + name + "="));
            assertThat(dockerfile.contains("\nARG MODULE=" + DeployFiles.MODULES.get(service.image()) + "\n")
                            || DeployFiles.MODULES.get(service.image()).equals(arguments.get("MODULE")))
                    .as("the image of %s is made of its module", entry.getKey())
                    .isTrue();
            assertThat(service.depends_on().get("database").condition()).isEqualTo("service_healthy");
            assertThat(service.ports()).allMatch(port -> port.startsWith("127.0.0.1:"));
            assertThat(service.read_only()).isTrue();
            assertThat(service.cap_drop()).containsExactly("ALL");
            assertThat(service.security_opt()).containsExactly("no-new-privileges:true");
        }
    }

    /** Spring Boot's graceful shutdown takes up to 30 s, and the drain of the outbox comes after it. */
    @Test
    void programsHaveTimeToStop() throws IOException {
        read().services().forEach((name, service) -> {
            if (!name.equals("database")) {
                assertThat(service.stop_grace_period()).as(name).isEqualTo("45s");
            }
        });
    }

    @Test
    void linkOfTheShopLeadsToTheControlCenter() throws IOException {
        Map<String, ComposeFile.Service> services = read().services();
        String port = services.get("control-center").ports().get(0).split(":")[1];
        assertThat(services.get("shop").environment())
                .containsEntry("SHOP_CONTROLCENTER", "http://localhost:" + port + "/outbox/");
    }

    @Test
    void secretsAreNotInTheFile() throws IOException {
        read().services()
                .forEach((name, service) -> service.environment().forEach((variable, value) -> {
                    if (variable.endsWith("PASSWORD")) {
                        assertThat(value).as(variable).startsWith("${DATABASE_PASSWORD:?");
                    }
                }));
    }

    @Test
    void volumesThatAreUsedExist() throws IOException {
        ComposeFile file = read();
        file.services().values().stream()
                .filter(service -> service.volumes() != null)
                .flatMap(service -> service.volumes().stream())
                .forEach(volume -> assertThat(file.volumes()).containsKey(volume.split(":")[0]));
    }
}
