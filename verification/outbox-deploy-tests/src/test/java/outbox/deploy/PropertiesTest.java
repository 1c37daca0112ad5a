package outbox.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubernetes.client.openapi.models.V1Deployment;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.net.URL;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import outbox.control.server.ServerProperties;
import outbox.samples.shop.ShopSettings;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Every property and every port in the files is one of the product or of Spring Boot. */
class PropertiesTest {
    /** Read by the JVM, by the script healthy, and by Spring before it has properties. */
    private static final Set<String> OTHERS = Set.of("JAVA_TOOL_OPTIONS", "HEALTH_PATH", "SPRING_PROFILES_ACTIVE");

    private static final Set<String> known = new TreeSet<>();

    @BeforeAll
    static void readMetadata() throws IOException {
        for (URL file : Collections.list(
                PropertiesTest.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
            try (InputStream in = file.openStream()) {
                for (JsonNode property : JsonMapper.shared().readTree(in).path("properties")) {
                    known.add(variable(property.path("name").asString()));
                }
            }
        }
        add("outbox.control-center", ServerProperties.class);
        add("shop", ShopSettings.class);
        DeployFiles.settings("outbox-shop").stringPropertyNames().forEach(name -> known.add(variable(name)));
    }

    /** A record of settings; in a map of records the key is a single word, as in the files. */
    private static void add(String prefix, Class<?> settings) {
        for (RecordComponent component : settings.getRecordComponents()) {
            String name = prefix + "." + component.getName();
            Class<?> type = component.getType();
            if (type == Map.class && component.getGenericType() instanceof ParameterizedType map) {
                if (map.getActualTypeArguments()[1] instanceof Class<?> value && value.isRecord()) {
                    add(name + ".*", value);
                }
            } else if (type.isRecord()) {
                add(name, type);
            } else {
                known.add(variable(name));
            }
        }
    }

    /** The environment variable of a property. */
    private static String variable(String property) {
        return property.replace("-", "").replace('.', '_').toUpperCase(Locale.ROOT);
    }

    private static boolean isKnown(String variable) {
        return OTHERS.contains(variable)
                || known.contains(variable)
                || known.contains(variable.replaceFirst("_APPLICATIONS_[A-Z]+_", "_APPLICATIONS_*_"));
    }

    @Test
    void everyEnvironmentVariableIsAProperty() throws IOException {
        assertThat(known).hasSizeGreaterThan(500).contains("OUTBOX_DISPATCH_DRAINTIMEOUT", "SERVER_PORT");
        assertThat(isKnown("OUTBOX_CONTROLCENTER_APPLICATIONS_SHOP_ADDRESS")).isFalse();
        Set<String> used = new TreeSet<>(DeployFiles.imageEnvironment().keySet());
        ComposeTest.read().services().forEach((name, service) -> {
            if (!name.equals("database")) {
                used.addAll(service.environment().keySet());
            }
        });
        for (V1Deployment deployment : KubernetesTest.all("Deployment", V1Deployment.class)) {
            KubernetesTest.container(deployment).getEnv().forEach(variable -> used.add(variable.getName()));
        }
        assertThat(used).hasSizeGreaterThan(10).allMatch(PropertiesTest::isKnown);
    }

    @Test
    void everyPortIsThatOfTheProgram() throws IOException {
        Map<String, String> ports = new TreeMap<>();
        for (String image : DeployFiles.MODULES.keySet()) {
            ports.put(image, DeployFiles.settings(image).getProperty("server.port"));
        }
        assertThat(ports).containsEntry("outbox-control-center", "8090").containsEntry("outbox-shop", "8080");
        for (V1Deployment deployment : KubernetesTest.all("Deployment", V1Deployment.class)) {
            var container = KubernetesTest.container(deployment);
            assertThat(container.getPorts().get(0).getContainerPort()).hasToString(ports.get(container.getImage()));
        }
        ComposeTest.read().services().forEach((name, service) -> {
            if (service.ports() != null) {
                assertThat(service.ports()).allMatch(port -> port.endsWith(":" + ports.get(service.image())));
            }
            if (service.build() != null && service.build().args() != null) {
                assertThat(service.build().args()).containsEntry("PORT", ports.get(service.image()));
            }
        });
        assertThat(DockerfileTest.argument("PORT")).isEqualTo(ports.get("outbox-control-center"));
    }

    @Test
    void profilesExist() throws IOException {
        String profile = ComposeTest.read().services().get("shop").environment().get("SPRING_PROFILES_ACTIVE");
        assertThat(DeployFiles.ROOT.resolve(
                        "samples/outbox-shop/src/main/resources/application-" + profile + ".properties"))
                .exists();
    }
}
