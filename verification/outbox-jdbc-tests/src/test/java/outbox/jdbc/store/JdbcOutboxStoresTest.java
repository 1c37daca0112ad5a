package outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URL;
import java.net.URLClassLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import outbox.testing.server.EmbeddedH2;
import outbox.util.DefaultJsonCodec;
import outbox.util.JsonCodec;

class JdbcOutboxStoresTest {
    @ParameterizedTest
    @CsvSource({
        "jdbc:h2:mem:test, h2",
        "jdbc:mysql://localhost:3306/shop, mysql",
        "jdbc:tidb://localhost:4000/shop, mysql",
        "jdbc:mariadb://localhost/shop, mariadb",
        "jdbc:postgresql://localhost/shop?user=me, postgresql",
        "JDBC:PostgreSQL://localhost/shop, postgresql",
    })
    void aUrlFindsItsStore(String url, String name) {
        assertThat(JdbcOutboxStores.detect(url).name()).isEqualTo(name);
        assertThat(JdbcOutboxStores.detect(url))
                .isInstanceOf(JdbcOutboxStores.get(name).getClass());
    }

    @Test
    void allStoresOfThisModuleAreRegistered() {
        assertThat(JdbcOutboxStores.all())
                .extracting(AbstractJdbcOutboxStore::name)
                .containsExactlyInAnyOrder("h2", "mysql", "mariadb", "postgresql");
        assertThat(JdbcOutboxStores.all())
                .allMatch(store -> store.tableName().equals("outbox_event"))
                .allMatch(store -> store.purger() != null);
    }

    @Test
    void everyStoreOfThisModuleWorksOnAnotherTable() {
        assertThat(JdbcOutboxStores.all())
                .allSatisfy(store -> assertThat(store.withTable("shop.order_event"))
                        .hasSameClassAs(store)
                        .returns("shop.order_event", AbstractJdbcOutboxStore::tableName));
    }

    @Test
    void anUnknownUrlIsRefusedWithTheKnownOnesAndWithoutItsSecrets() {
        assertThatThrownBy(() -> JdbcOutboxStores.detect("jdbc:oracle:thin:scott/tiger@//db.example.com:1521/x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("jdbc:oracle:")
                .hasMessageContaining("jdbc:h2:")
                .hasMessageContaining("jdbc:mysql:")
                .hasMessageContaining("jdbc:tidb:")
                .hasMessageContaining("jdbc:mariadb:")
                .hasMessageContaining("jdbc:postgresql:")
                .hasMessageNotContaining("tiger")
                .hasMessageNotContaining("db.example.com");
        assertThatThrownBy(() -> JdbcOutboxStores.detect("postgres://me:secret@host/db"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("secret");
    }

    @Test
    void anUnknownNameIsRefusedWithTheKnownOnes() {
        assertThat(JdbcOutboxStores.get("PostgreSQL")).isInstanceOf(PostgresOutboxStore.class);
        assertThatThrownBy(() -> JdbcOutboxStores.get("oracle"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("oracle")
                .hasMessageContaining("postgresql");
    }

    @Test
    void aCodecCanBeGivenAlong() {
        JsonCodec codec = new DefaultJsonCodec();
        assertThat(JdbcOutboxStores.detect("jdbc:mysql://x/y", codec).jsonCodec())
                .isSameAs(codec);
        assertThat(JdbcOutboxStores.detect(EmbeddedH2.shared().freshDatabase().dataSource(), codec)
                        .jsonCodec())
                .isSameAs(codec);
    }

    @Test
    void aContextClassLoaderThatDoesNotSeeThisModuleDoesNotHideTheStores() {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(new URLClassLoader(new URL[0], ClassLoader.getPlatformClassLoader()));
        try {
            assertThat(JdbcOutboxStores.all()).hasSize(4);
        } finally {
            thread.setContextClassLoader(before);
        }
    }
}
