package outbox.spring.boot;

import java.util.Map;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import outbox.spring.boot.properties.InstanceProperties;
import outbox.spring.boot.properties.OutboxProperties.Publisher;

/** The kind of outbox an application configures. */
enum OutboxForm {
    /** One, on the table of one data source. */
    SOLE,
    /** Several, each with a name. */
    NAMED,
    /** None: events are passed to handlers at once. */
    IN_MEMORY;

    static OutboxForm of(Environment environment) {
        if (publisher(environment) == Publisher.IN_MEMORY) {
            return IN_MEMORY;
        }
        return instances(environment).isEmpty() ? SOLE : NAMED;
    }

    static Map<String, InstanceProperties> instances(Environment environment) {
        return Binder.get(environment)
                .bind("outbox.instances", Bindable.mapOf(String.class, InstanceProperties.class))
                .orElseGet(Map::of);
    }

    private static Publisher publisher(Environment environment) {
        try {
            return Binder.get(environment)
                    .bind("outbox.publisher", Publisher.class)
                    .orElse(Publisher.TRANSACTIONAL);
        } catch (BindException e) {
            return Publisher.TRANSACTIONAL; // binding the properties reports the invalid value
        }
    }

    static final class IsSole implements Condition {
        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return of(context.getEnvironment()) == SOLE;
        }
    }

    static final class IsNamed implements Condition {
        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return of(context.getEnvironment()) == NAMED;
        }
    }

    static final class IsInMemory implements Condition {
        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return of(context.getEnvironment()) == IN_MEMORY;
        }
    }
}
