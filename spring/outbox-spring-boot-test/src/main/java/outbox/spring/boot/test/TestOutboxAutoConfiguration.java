package outbox.spring.boot.test;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import outbox.Outbox;
import outbox.domain.DomainEventPublisher;
import outbox.domain.type.EventTypes;
import outbox.domain.type.PayloadSerializer;
import outbox.spring.boot.OutboxAutoConfiguration;
import outbox.spring.boot.OutboxPlace;

/** A {@link TestOutbox} for every test of an application with one outbox or a primary one. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnSingleCandidate(OutboxPlace.class)
public class TestOutboxAutoConfiguration {
    /** Created before the outbox, which looks it up by type. */
    @Bean
    CallsOutsideTransactions outboxTestCalls() {
        return new CallsOutsideTransactions();
    }

    @Bean
    TestOutbox testOutbox(
            Outbox outbox,
            OutboxPlace place,
            DomainEventPublisher publisher,
            EventTypes types,
            PayloadSerializer serializer,
            CallsOutsideTransactions calls) {
        return new TestOutbox(outbox, place, publisher, new StoredEvents(types, serializer, place.seal()), calls);
    }
}
