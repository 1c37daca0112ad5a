package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.domain.AbstractAggregateRoot;
import org.springframework.data.domain.AfterDomainEventPublication;
import org.springframework.data.domain.DomainEvents;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.spring.boot.tests.Apps.OrderPlaced;
import outbox.spring.boot.tests.SpringEventsTest.ParcelSent;

/** What aggregates of Spring Data publish when they are saved. */
@SpringBootTest(
        properties = {
            "spring.datasource.generate-unique-name=true",
            "spring.jpa.hibernate.ddl-auto=create",
            "outbox.mode=writer-only"
        })
class SpringDataEventsTest {
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableJpaRepositories(considerNestedRepositories = true)
    static class Shop {}

    @Entity(name = "Purchase")
    @Table(name = "purchase")
    static class Purchase extends AbstractAggregateRoot<Purchase> {
        @Id
        String id;

        @Column(length = 10)
        String note;

        static Purchase of(String id, String note) {
            Purchase purchase = new Purchase();
            purchase.id = id;
            purchase.note = note;
            purchase.registerEvent(new OrderPlaced(id));
            return purchase;
        }
    }

    interface Purchases extends JpaRepository<Purchase, String> {}

    @Entity(name = "Parcel")
    @Table(name = "parcel")
    static class Parcel {
        @Id
        String id;

        transient List<Object> events = new ArrayList<>();

        @DomainEvents
        Collection<Object> events() {
            return events;
        }

        @AfterDomainEventPublication
        void published() {
            events.clear();
        }
    }

    interface Parcels extends JpaRepository<Parcel, String> {}

    @Autowired
    Purchases purchases;

    @Autowired
    Parcels parcels;

    @Autowired
    JdbcTemplate jdbc;

    private List<String> payloads(String type) {
        return jdbc.queryForList(
                "SELECT CAST(payload AS VARCHAR) FROM outbox_event WHERE event_type = ?", String.class, type);
    }

    @Test
    void anAggregateRootThatIsSavedWritesItsEvents() {
        purchases.save(Purchase.of("a-1", "ok"));

        assertThat(payloads("order.placed"))
                .filteredOn(text -> text.contains("a-1"))
                .hasSize(1);
    }

    @Test
    void eventsOfAnAggregateRootThatCannotBeSavedAreNotWritten() {
        assertThatThrownBy(() -> purchases.save(Purchase.of("a-2", "longer than the column")))
                .isNotNull();

        assertThat(payloads("order.placed"))
                .filteredOn(text -> text.contains("a-2"))
                .isEmpty();
        assertThat(purchases.findById("a-2")).isEmpty();
    }

    @Test
    void eventsByAnnotationAreWritten() {
        Parcel parcel = new Parcel();
        parcel.id = "p-7";
        parcel.events.add(new ParcelSent("p-7"));
        parcels.save(parcel);

        assertThat(payloads("parcel.sent"))
                .filteredOn(text -> text.contains("p-7"))
                .hasSize(1);
        assertThat(parcel.events).isEmpty();
    }
}
