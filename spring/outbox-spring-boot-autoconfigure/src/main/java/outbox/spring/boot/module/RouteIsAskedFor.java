package outbox.spring.boot.module;

import java.util.Objects;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Whether a route has any property and is not switched off; that a broker is named is checked when it is made. */
abstract class RouteIsAskedFor implements Condition {
    private final String prefix;

    RouteIsAskedFor(String prefix) {
        this.prefix = prefix;
    }

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
        Environment environment = Objects.requireNonNull(context.getEnvironment());
        return environment.getProperty(prefix + ".enabled", Boolean.class, true)
                && Binder.get(environment)
                        .bind(prefix, Bindable.mapOf(String.class, Object.class))
                        .isBound();
    }
}
