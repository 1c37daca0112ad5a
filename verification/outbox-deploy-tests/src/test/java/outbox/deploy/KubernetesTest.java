package outbox.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1Probe;
import io.kubernetes.client.openapi.models.V1Service;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The manifests are what the API of Kubernetes takes, and ask for what a careful operator would ask for. */
class KubernetesTest {
    private static final Gson GSON = new Gson();

    private interface Check {
        void accept(JsonElement json) throws IOException;
    }

    private static final Map<String, Check> CHECKS = Map.of(
            "apps/v1 Deployment", V1Deployment::validateJsonElement,
            "v1 Service", V1Service::validateJsonElement,
            "v1 PersistentVolumeClaim", V1PersistentVolumeClaim::validateJsonElement,
            "policy/v1 PodDisruptionBudget", V1PodDisruptionBudget::validateJsonElement);

    @Test
    void everyDocumentIsOfTheApi() throws IOException {
        for (Map<String, Object> document : DeployFiles.resources()) {
            String kind = document.get("apiVersion") + " " + document.get("kind");
            assertThat(CHECKS).containsKey(kind);
            CHECKS.get(kind).accept(GSON.toJsonTree(document));
        }
        assertThat(all("Deployment", V1Deployment.class)).hasSize(2);
        assertThat(all("Service", V1Service.class)).hasSize(2);
        assertThat(all("PersistentVolumeClaim", V1PersistentVolumeClaim.class)).hasSize(1);
    }

    /** Otherwise the test above would show nothing. */
    @Test
    void misspeltFieldIsRefusedAtAnyDepth() throws IOException {
        String good = GSON.toJson(documents("Deployment").get(0));
        for (String field : List.of("replicas", "containerPort", "failureThreshold", "runAsNonRoot", "secretKeyRef")) {
            String bad = good.replace("\"" + field + "\"", "\"" + field + "x\"");
            assertThat(bad).isNotEqualTo(good);
            assertThatThrownBy(() -> V1Deployment.validateJsonElement(GSON.fromJson(bad, JsonElement.class)))
                    .as(field)
                    .hasMessageContaining(field + "x");
        }
    }

    @Test
    void kustomizationNamesEveryFileAndEveryImage() throws IOException {
        Map<String, Object> kustomization = DeployFiles.kustomization();
        assertThat(kustomization.keySet())
                .containsExactlyInAnyOrder("apiVersion", "kind", "resources", "images", "labels");
        assertThat(kustomization)
                .containsEntry("apiVersion", "kustomize.config.k8s.io/v1beta1")
                .containsEntry("kind", "Kustomization");
        try (Stream<Path> files = Files.list(DeployFiles.KUBERNETES)) {
            List<Object> others = files.map(file -> (Object) file.getFileName().toString())
                    .filter(name -> !name.equals("kustomization.yaml"))
                    .toList();
            assertThat((List<?>) kustomization.get("resources"))
                    .map(Object.class::cast)
                    .containsExactlyInAnyOrderElementsOf(others);
        }
        assertThat((List<?>) kustomization.get("images"))
                .map(image -> DeployFiles.map(image).get("name"))
                .map(String.class::cast)
                .containsExactlyInAnyOrderElementsOf(DeployFiles.MODULES.keySet());
        for (V1Deployment deployment : all("Deployment", V1Deployment.class)) {
            assertThat(DeployFiles.MODULES).containsKey(container(deployment).getImage());
        }
    }

    @Test
    void programsRunWithoutRights() throws IOException {
        for (V1Deployment deployment : all("Deployment", V1Deployment.class)) {
            V1PodSpec pod = deployment.getSpec().getTemplate().getSpec();
            assertThat(pod.getAutomountServiceAccountToken()).isFalse();
            assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
            assertThat(Files.readString(DeployFiles.DOCKERFILE))
                    .contains("USER " + pod.getSecurityContext().getRunAsUser() + ":"
                            + pod.getSecurityContext().getRunAsGroup() + "\n");
            assertThat(pod.getSecurityContext().getFsGroup())
                    .isEqualTo(pod.getSecurityContext().getRunAsGroup());
            assertThat(pod.getSecurityContext().getSeccompProfile().getType()).isEqualTo("RuntimeDefault");
            var context = container(deployment).getSecurityContext();
            assertThat(context.getAllowPrivilegeEscalation()).isFalse();
            assertThat(context.getReadOnlyRootFilesystem()).isTrue();
            assertThat(context.getCapabilities().getDrop()).containsExactly("ALL");
        }
    }

    @Test
    void programsHaveProbesAndResources() throws IOException {
        for (V1Deployment deployment : all("Deployment", V1Deployment.class)) {
            V1Container container = container(deployment);
            String port = container.getPorts().get(0).getName();
            for (V1Probe probe : List.of(container.getStartupProbe(), container.getReadinessProbe())) {
                assertThat(probe.getHttpGet().getPort().getStrValue()).isEqualTo(port);
                // The paths are called by verification/image-check, and by the tests of the programs.
                assertThat(probe.getHttpGet().getPath())
                        .isIn("/outbox/api/v1/health", "/actuator/health/liveness", "/actuator/health/readiness");
            }
            assertLivenessDoesNotAskTheDatabase(container.getLivenessProbe(), port);
            assertThat(container.getResources().getRequests()).containsKeys("cpu", "memory");
            assertThat(container.getResources().getLimits().get("memory"))
                    .isEqualTo(container.getResources().getRequests().get("memory"));
            assertThat(deployment.getSpec().getTemplate().getSpec().getTerminationGracePeriodSeconds())
                    .isGreaterThan(30);
        }
    }

    /** A restart does not repair a database. */
    private static void assertLivenessDoesNotAskTheDatabase(V1Probe liveness, String port) {
        if (liveness.getHttpGet() == null) {
            assertThat(liveness.getTcpSocket().getPort().getStrValue()).isEqualTo(port);
        } else {
            assertThat(liveness.getHttpGet().getPort().getStrValue()).isEqualTo(port);
            assertThat(liveness.getHttpGet().getPath()).isEqualTo("/actuator/health/liveness");
        }
    }

    @Test
    void servicesAndBudgetsSelectTheirPods() throws IOException {
        List<V1Service> services = all("Service", V1Service.class);
        List<V1PodDisruptionBudget> budgets = all("PodDisruptionBudget", V1PodDisruptionBudget.class);
        for (V1Deployment deployment : all("Deployment", V1Deployment.class)) {
            Map<String, String> labels =
                    deployment.getSpec().getTemplate().getMetadata().getLabels();
            assertThat(deployment.getSpec().getSelector().getMatchLabels()).isEqualTo(labels);
            assertThat(services)
                    .filteredOn(service -> labels.equals(service.getSpec().getSelector()))
                    .singleElement()
                    .satisfies(service -> {
                        assertThat(service.getSpec().getPorts().get(0).getPort())
                                .isEqualTo(
                                        container(deployment).getPorts().get(0).getContainerPort());
                        assertThat(service.getSpec()
                                        .getPorts()
                                        .get(0)
                                        .getTargetPort()
                                        .getStrValue())
                                .isEqualTo(
                                        container(deployment).getPorts().get(0).getName());
                    });
            assertThat(budgets)
                    .filteredOn(budget ->
                            labels.equals(budget.getSpec().getSelector().getMatchLabels()))
                    .singleElement()
                    .satisfies(budget -> {
                        if (budget.getSpec().getMinAvailable() != null) {
                            assertThat(budget.getSpec().getMinAvailable().getIntValue())
                                    .as("a node can be drained")
                                    .isLessThan(deployment.getSpec().getReplicas());
                        }
                    });
        }
    }

    static V1Container container(V1Deployment deployment) {
        return deployment.getSpec().getTemplate().getSpec().getContainers().get(0);
    }

    static <T> List<T> all(String kind, Class<T> type) throws IOException {
        return documents(kind).stream()
                .map(document -> JSON.getGson().fromJson(GSON.toJson(document), type))
                .toList();
    }

    private static List<Map<String, Object>> documents(String kind) throws IOException {
        return DeployFiles.resources().stream()
                .filter(document -> kind.equals(document.get("kind")))
                .toList();
    }
}
