package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import outbox.domain.handler.EventHandler;
import outbox.spring.boot.tests.ControlCenterApps.LoginForm;
import outbox.spring.boot.tests.ControlCenterApps.OrderPlaced;
import outbox.spring.boot.tests.ControlCenterApps.Plain;

/** Where the control center keeps its own tables when an application has several outboxes. */
@Tag("any-boot")
@Timeout(600)
@ExtendWith(OutputCaptureExtension.class)
class ControlCenterHomeTest {
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";

    static class Handlers {
        @EventHandler(name = "mailer")
        void on(OrderPlaced event) {}
    }

    /** Two databases that outlive the application. */
    static class Databases {
        static String suffix = "";

        @Bean
        DataSource orders() {
            return database("orders");
        }

        @Bean
        DataSource billing() {
            return database("billing");
        }

        @Bean
        PlatformTransactionManager ordersTransactions(DataSource orders) {
            return new JdbcTransactionManager(orders);
        }

        @Bean
        PlatformTransactionManager billingTransactions(DataSource billing) {
            return new JdbcTransactionManager(billing);
        }

        static DataSource database(String name) {
            JdbcDataSource dataSource = new JdbcDataSource();
            dataSource.setURL("jdbc:h2:mem:" + name + suffix + ";DB_CLOSE_DELAY=-1");
            return dataSource;
        }

        static boolean isHome(String name) {
            return new JdbcTemplate(database(name))
                            .queryForObject(
                                    "SELECT COUNT(*) FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_NAME = 'OUTBOX_CC_AUDIT'",
                                    Integer.class)
                    > 0;
        }
    }

    private static ConfigurableApplicationContext start(String... more) {
        String[] settings = {
            "outbox.instances.billing.data-source=billing",
            "outbox.instances.billing.transaction-manager=billingTransactions",
            "outbox.instances.orders.data-source=orders",
            "outbox.instances.orders.transaction-manager=ordersTransactions",
            "outbox.control-center.tokens.ci.secret=" + TOKEN,
            "outbox.control-center.tokens.ci.role=operator"
        };
        String[] all = java.util.Arrays.copyOf(settings, settings.length + more.length);
        System.arraycopy(more, 0, all, settings.length, more.length);
        return ControlCenterApps.start(List.of(Plain.class, LoginForm.class, Databases.class, Handlers.class), all);
    }

    @Test
    void ofSeveralOutboxesNoneIsTheHomeByItsPlaceInTheConfiguration() {
        Databases.suffix = UUID.randomUUID().toString();
        assertThatThrownBy(ControlCenterHomeTest::start)
                .rootCause()
                .hasMessageContaining("outbox.control-center.home=<name>")
                .hasMessageContaining("billing")
                .hasMessageContaining("orders");
        assertThat(Databases.isHome("orders") || Databases.isHome("billing")).isFalse();
    }

    @Test
    void aHomeThatIsNoOutboxIsNamedAtTheStart() {
        Databases.suffix = UUID.randomUUID().toString();
        assertThatThrownBy(() -> start("outbox.control-center.home=invoices"))
                .rootCause()
                .hasMessageContaining("outbox.control-center.home is 'invoices'");
    }

    @Test
    void theHomeIsTheOneThatIsNamedAndMovingItIsNoticed(CapturedOutput output) throws Exception {
        Databases.suffix = UUID.randomUUID().toString();
        try (ConfigurableApplicationContext context = start("outbox.control-center.home=orders")) {
            assertThat(Databases.isHome("orders")).isTrue();
            assertThat(Databases.isHome("billing")).isFalse();
            ControlCenterApps.send(context, "DELETE", "/api/v1/apps/orders/events/none", TOKEN);
        }
        assertThat(output.getAll()).doesNotContain("contains an audit log of a control center too");
        try (ConfigurableApplicationContext context = start("outbox.control-center.home=billing")) {
            assertThat(context.isRunning()).isTrue();
        }
        assertThat(output.getAll()).contains("switch back with outbox.control-center.home=orders");
    }

    @Test
    void thePrimaryOutboxIsTheHomeUnlessAnotherIsNamed() {
        Databases.suffix = UUID.randomUUID().toString();
        try (ConfigurableApplicationContext context = start("outbox.instances.orders.primary=true")) {
            assertThat(context.isRunning()).isTrue();
            assertThat(Databases.isHome("orders")).isTrue();
            assertThat(Databases.isHome("billing")).isFalse();
        }
    }
}
