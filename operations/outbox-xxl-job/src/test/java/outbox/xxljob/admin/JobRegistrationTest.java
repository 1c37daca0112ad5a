package outbox.xxljob.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import outbox.testing.server.FreePort;
import outbox.testing.server.SimulatedXxlJobAdmin;
import outbox.testing.server.SimulatedXxlJobAdmin.Generation;

/** Against a simulated admin of each generation. */
class JobRegistrationTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration SOON = Duration.ofMillis(20);
    private static final List<NewJob> JOBS = List.of(
            new NewJob(JobHandlers.RECOVER, "recover", "anna", JobRegistration.DEFAULT_RECOVER_INTERVAL),
            new NewJob(JobHandlers.WARN_FAILED, "warn", "anna", JobRegistration.DEFAULT_WARN_INTERVAL));

    private static final int NODES = 4;
    private static final String ADD = "/jobinfo/(add|insert)|/api/addJob";
    private static final String START = "/jobinfo/start|/api/startJob";

    private static XxlJobAdmin client(String url, Generation generation) {
        return XxlJobAdmin.builder(url, "orders")
                .login(SimulatedXxlJobAdmin.USER, SimulatedXxlJobAdmin.PASSWORD)
                .accessToken(SimulatedXxlJobAdmin.TOKEN)
                .api(generation == Generation.FROM_3_5 ? AdminApi.FROM_3_5 : AdminApi.AUTO)
                .build();
    }

    private static void awaitJobs(SimulatedXxlJobAdmin admin) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(admin.jobs())
                        .hasSize(2)
                        .allSatisfy(job -> assertThat(job).containsEntry("triggerStatus", "1")));
    }

    @ParameterizedTest
    @EnumSource
    void groupAndJobsAreRegisteredAndStarted(Generation generation) throws Exception {
        try (SimulatedXxlJobAdmin admin = new SimulatedXxlJobAdmin(generation);
                JobRegistration registration =
                        JobRegistration.start(client(admin.url(), generation), "Orders", JOBS, SOON)) {
            assertThat(registration).isNotNull();
            awaitJobs(admin);
            assertThat(admin.groups())
                    .singleElement()
                    .satisfies(group -> assertThat(group)
                            .containsEntry("appname", "orders")
                            .containsEntry("title", "Orders")
                            .containsEntry("addressType", "0"));
            assertThat(admin.jobs())
                    .extracting(job -> job.get("executorHandler") + " " + job.get("scheduleConf") + " "
                            + job.get("scheduleType") + " " + job.get("author") + " " + job.get("glueType"))
                    .containsExactly("outboxRecover 30 FIX_RATE anna BEAN", "outboxWarnFailed 120 FIX_RATE anna BEAN");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aSecondStartLeavesWhatIsThere(Generation generation) throws Exception {
        try (SimulatedXxlJobAdmin admin = new SimulatedXxlJobAdmin(generation)) {
            XxlJobAdmin client = client(admin.url(), generation);
            try (JobRegistration first = JobRegistration.start(client, "Orders", JOBS, SOON)) {
                assertThat(first).isNotNull();
                awaitJobs(admin);
            }
            client.stop(client.jobs().get(0).id()); // by an operator
            int reads = reads(admin);

            try (JobRegistration second = JobRegistration.start(client, "Other title", JOBS, SOON)) {
                assertThat(second).isNotNull();
                await().atMost(PATIENCE).until(() -> reads(admin) >= reads + 2);
            }
            assertThat(admin.groups()).hasSize(1);
            assertThat(client.jobs()).extracting(AdminJob::started).containsExactly(false, true);
        }
    }

    private static int reads(SimulatedXxlJobAdmin admin) {
        return (int) admin.calls().stream()
                .filter(call -> call.equals("/jobinfo/pageList"))
                .count();
    }

    /** Every node has looked before one adds, and every node has added before one looks again. */
    @ParameterizedTest
    @EnumSource
    void nodesThatStartTogetherRegisterOneJobEach(Generation generation) throws Exception {
        try (SimulatedXxlJobAdmin admin = new SimulatedXxlJobAdmin(generation)) {
            XxlJobAdmin client = client(admin.url(), generation);
            client.addGroup("Orders");
            NewJob warn = JOBS.get(1);
            CountDownLatch adding = new CountDownLatch(NODES);
            CountDownLatch lookingAgain = new CountDownLatch(NODES);
            admin.beforeAnswer(path -> {
                if (path.matches(ADD)) {
                    arriveAndAwait(adding);
                } else if (path.equals("/jobinfo/pageList") && adding.getCount() == 0) {
                    arriveAndAwait(lookingAgain);
                }
            });
            List<JobRegistration> nodes = new ArrayList<>();
            for (int node = 0; node < NODES; node++) {
                nodes.add(JobRegistration.start(client(admin.url(), generation), "Orders", List.of(warn), SOON));
            }
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(admin.calls().stream().filter(path -> path.matches(START)))
                            .as("every node has finished")
                            .hasSize(NODES));
            assertThat(admin.calls().stream().filter(path -> path.matches(ADD)))
                    .as("every node added one")
                    .hasSize(NODES);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(admin.jobs())
                            .singleElement()
                            .satisfies(job -> assertThat(job)
                                    .containsEntry("executorHandler", JobHandlers.WARN_FAILED)
                                    .containsEntry("triggerStatus", "1")));
            nodes.forEach(JobRegistration::close);
        }
    }

    private static void arriveAndAwait(CountDownLatch others) {
        others.countDown();
        try {
            assertThat(others.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The other node's job is there when this one looks again, and gone when this one removes it. */
    @ParameterizedTest
    @EnumSource
    void aJobThatAnotherNodeRemovedFirstIsNoObstacle(Generation generation) throws Exception {
        try (SimulatedXxlJobAdmin admin = new SimulatedXxlJobAdmin(generation)) {
            XxlJobAdmin client = client(admin.url(), generation);
            client.addGroup("Orders");
            long group = client.groups().get(0);
            NewJob warn = JOBS.get(1);
            List<String> ofOthers = new ArrayList<>();
            AtomicBoolean added = new AtomicBoolean();
            admin.beforeAnswer(path -> {
                if (path.matches(ADD)) {
                    added.set(true);
                } else if (path.equals("/jobinfo/pageList") && added.get() && ofOthers.isEmpty()) {
                    ofOthers.add(admin.addStopped(warn.fields(group)));
                    ofOthers.add(admin.addStopped(warn.fields(group)));
                } else if (path.matches("/jobinfo/(remove|delete)|/api/removeJob") && ofOthers.size() == 2) {
                    admin.removeJob(ofOthers.remove(0));
                }
            });
            try (JobRegistration node = JobRegistration.start(client, "Orders", List.of(warn), SOON)) {
                assertThat(node).isNotNull();
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(admin.jobs())
                                .singleElement()
                                .satisfies(job -> assertThat(job).containsEntry("triggerStatus", "1")));
            }
        }
    }

    @Test
    void anAdminThatIsAwayAtTheStartIsAskedAgain() throws Exception {
        int port = FreePort.find();
        String url = "http://127.0.0.1:" + port + "/xxl-job-admin";
        XxlJobAdmin client = client(url, Generation.FROM_3_3);
        assertThatThrownBy(client::jobs)
                .isInstanceOf(XxlJobAdminException.class)
                .hasMessageContaining("cannot be reached");
        try (JobRegistration registration = JobRegistration.start(client, "Orders", JOBS, SOON);
                SimulatedXxlJobAdmin admin = new SimulatedXxlJobAdmin(Generation.FROM_3_3, port)) {
            assertThat(registration).isNotNull();
            awaitJobs(admin);
        }
    }

    @ParameterizedTest
    @EnumSource
    void jobsAreStoppedStartedAndTriggeredAndAnEndedSessionIsRenewed(Generation generation) throws Exception {
        try (SimulatedXxlJobAdmin admin = new SimulatedXxlJobAdmin(generation)) {
            XxlJobAdmin client = client("http://127.0.0.1:1/xxl-job-admin, " + admin.url() + "/", generation);
            assertThat(client.jobs()).isEmpty();
            client.addGroup("Orders");
            client.add(client.groups().get(0), JOBS.get(0));
            long id = client.jobs().get(0).id();
            client.start(id);
            admin.endSessions();
            assertThat(client.jobs().get(0)).satisfies(job -> {
                assertThat(job.started()).isTrue();
                assertThat(job.nextRun()).isNotNull();
                assertThat(job.lastRun()).isNull();
                assertThat(job.schedule()).isEqualTo("FIX_RATE 30");
            });
            client.trigger(id);
            assertThat(client.jobs().get(0).lastRun()).isNotNull();
            client.stop(id);
            assertThat(client.jobs().get(0).started()).isFalse();
            assertThatThrownBy(() -> client.start(4711)).hasMessageContaining("there is no such job");
        }
    }

    @Test
    void aWrongPasswordIsReportedWithoutIt() throws IOException {
        try (SimulatedXxlJobAdmin admin = new SimulatedXxlJobAdmin(Generation.UP_TO_3_2)) {
            XxlJobAdmin client = XxlJobAdmin.builder(admin.url(), "orders")
                    .login("outbox", "not-this-one")
                    .build();
            assertThatThrownBy(client::jobs)
                    .hasMessageContaining("refused the login of user 'outbox': wrong user or password")
                    .hasMessageNotContaining("not-this-one");
        }
    }

    @Test
    void contradictionsAreRefusedByName() {
        assertThatThrownBy(() -> XxlJobAdmin.builder("ftp://x", "orders")).hasMessageContaining("'ftp://x'");
        assertThatThrownBy(() -> XxlJobAdmin.builder("http://x", "orders").build())
                .hasMessageContaining("user name and the password");
        assertThatThrownBy(() -> XxlJobAdmin.builder("http://x", "orders")
                        .login("a", "b")
                        .api(AdminApi.FROM_3_5)
                        .build())
                .hasMessageContaining("access token");
        assertThatThrownBy(() -> new NewJob("x", "x", "x", Duration.ofMillis(1500)))
                .hasMessageContaining("whole seconds, not PT1.5S");
    }
}
