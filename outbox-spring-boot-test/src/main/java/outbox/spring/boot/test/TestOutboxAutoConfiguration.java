package outbox.spring.boot.test;

import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.Outbox;
import outbox.domain.DomainEventPublisher;
import outbox.domain.type.EventReader;
import outbox.domain.type.EventTypes;
import outbox.domain.type.PayloadSerializer;
import outbox.spring.boot.OutboxAutoConfiguration;
import outbox.spring.boot.OutboxProperties;

/** A {@link TestOutbox} for every test of an application with one outbox and one data source, whole or in a slice. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnBean(OutboxProperties.class)
@ConditionalOnSingleCandidate(DataSource.class)
public class TestOutboxAutoConfiguration {
    /** Found by the outbox among all beans, so it is there before it. */
    @Bean
    CallsOutsideTransactions outboxTestCalls() {
        return new CallsOutsideTransactions();
    }

    @Bean
    @ConditionalOnSingleCandidate(Outbox.class)
    TestOutbox testOutbox(
            Outbox outbox,
            OutboxProperties properties,
            DataSource dataSource,
            BeanFactory beans,
            DomainEventPublisher publisher,
            EventTypes types,
            PayloadSerializer serializer,
            CallsOutsideTransactions calls) {
        String manager = properties.getTransactionManager();
        OutboxRows rows = new OutboxRows(dataSource, properties.getTable());
        PlatformTransactionManager transactions = manager == null
                ? beans.getBean(PlatformTransactionManager.class)
                : beans.getBean(manager, PlatformTransactionManager.class);
        return new TestOutbox(
                outbox,
                rows,
                new TransactionTemplate(transactions),
                publisher,
                new EventReader(types, serializer),
                calls);
    }
}
