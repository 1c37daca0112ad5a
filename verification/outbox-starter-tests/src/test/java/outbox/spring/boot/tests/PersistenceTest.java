package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.Table;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;
import org.junit.jupiter.api.Test;
import org.mybatis.spring.annotation.MapperScan;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import outbox.domain.AggregateRoot;
import outbox.domain.DomainEventContext;
import outbox.domain.DomainEventPublisher;
import outbox.domain.publish.DomainEventOutboxService;
import outbox.spring.boot.tests.Apps.OrderPlaced;

/** D7: JPA, MyBatis and JdbcTemplate commit and roll back together with their events, each in a transaction of its own. */
@SpringBootTest(
        properties = {
            "spring.datasource.generate-unique-name=true",
            "spring.jpa.hibernate.ddl-auto=create",
            "outbox.mode=writer-only"
        })
class PersistenceTest {
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @MapperScan(basePackageClasses = PersistenceTest.class, annotationClass = Mapper.class)
    @Import({Orders.class, Baskets.class, Payments.class, Mails.class})
    static class Shop {}

    @Entity
    @Table(name = "placed")
    static class Placed {
        @Id
        String id;
    }

    @Entity
    @Table(name = "basket")
    static class Basket extends AggregateRoot {
        @Id
        String id;

        void checkOut() {
            raise(new OrderPlaced(id));
        }
    }

    @Mapper
    interface PaymentMapper {
        @Insert("INSERT INTO paid (id) VALUES (#{id})")
        void insert(String id);
    }

    /** What all three have in common. */
    interface Shelf {
        void put(String id, boolean fail);
    }

    private static void failIf(boolean fail) {
        if (fail) {
            throw new IllegalStateException("no");
        }
    }

    @Service
    static class Orders implements Shelf {
        @PersistenceContext
        EntityManager entities;

        @Autowired
        DomainEventPublisher events;

        @Override
        @Transactional
        public void put(String id, boolean fail) {
            Placed placed = new Placed();
            placed.id = id;
            entities.persist(placed);
            events.publish(new OrderPlaced(id));
            failIf(fail);
        }
    }

    @Service
    static class Baskets {
        @PersistenceContext
        EntityManager entities;

        @Autowired
        DomainEventOutboxService outbox;

        @Transactional
        public void put(String id) {
            Basket basket = new Basket();
            basket.id = id;
            entities.persist(basket);
        }

        @Transactional
        public void checkOut(String id) {
            Basket basket = entities.getReference(Basket.class, id);
            assertThat(basket.getClass()).as("a proxy").isNotEqualTo(Basket.class);
            basket.checkOut();
            outbox.recordPulledDomainEvents(basket, DomainEventContext.of("Basket", id));
            assertThat(basket.pullDomainEvents()).isEmpty();
        }
    }

    @Service
    static class Payments implements Shelf {
        @Autowired
        PaymentMapper payments;

        @Autowired
        DomainEventPublisher events;

        @Override
        @Transactional
        public void put(String id, boolean fail) {
            payments.insert(id);
            events.publish(new OrderPlaced(id));
            failIf(fail);
        }
    }

    @Service
    static class Mails implements Shelf {
        @Autowired
        JdbcTemplate jdbc;

        @Autowired
        DomainEventPublisher events;

        @Override
        @Transactional
        public void put(String id, boolean fail) {
            events.publish(new OrderPlaced(id));
            jdbc.update("INSERT INTO mailed (id) VALUES (?)", id);
            failIf(fail);
        }
    }

    @Autowired
    Orders orders;

    @Autowired
    Baskets baskets;

    @Autowired
    Payments payments;

    @Autowired
    Mails mails;

    @Autowired
    JdbcTemplate jdbc;

    private void commitsAndRollsBack(Shelf shelf, String table) {
        String id = table + "-1";
        shelf.put(id, false);
        assertThatThrownBy(() -> shelf.put(table + "-2", true)).hasMessage("no");

        assertThat(jdbc.queryForList("SELECT id FROM " + table, String.class)).containsExactly(id);
        assertThat(jdbc.queryForList(
                        "SELECT CAST(payload AS VARCHAR) FROM outbox_event WHERE CAST(payload AS VARCHAR) LIKE ?",
                        String.class,
                        "%" + table + "-%"))
                .singleElement()
                .asString()
                .contains(id);
    }

    @Test
    void jpa() {
        commitsAndRollsBack(orders, "placed");
    }

    @Test
    void anAggregateBehindALazyProxyLosesNoEvent() {
        baskets.put("basket-1");
        baskets.checkOut("basket-1");

        assertThat(jdbc.queryForList(
                        "SELECT aggregate_id FROM outbox_event WHERE aggregate_type = 'Basket'", String.class))
                .containsExactly("basket-1");
    }

    @Test
    void myBatis() {
        jdbc.execute("CREATE TABLE paid (id VARCHAR(20) PRIMARY KEY)");
        commitsAndRollsBack(payments, "paid");
    }

    @Test
    void jdbcTemplate() {
        jdbc.execute("CREATE TABLE mailed (id VARCHAR(20) PRIMARY KEY)");
        commitsAndRollsBack(mails, "mailed");
    }
}
