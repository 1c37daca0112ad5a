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
import outbox.domain.DomainEventPublisher;
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
    @Import({Orders.class, Payments.class, Mails.class})
    static class Shop {}

    @Entity
    @Table(name = "placed")
    static class Placed {
        @Id
        String id;
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
