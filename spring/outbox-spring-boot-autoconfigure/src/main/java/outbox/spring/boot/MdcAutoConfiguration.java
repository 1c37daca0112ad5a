package outbox.spring.boot;

import java.util.List;
import org.slf4j.MDC;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.type.AnnotatedTypeMetadata;
import outbox.spring.boot.properties.OutboxProperties;

/** The logging context of the writer for the handlers: {@code outbox.headers.from-mdc}. */
@AutoConfiguration(before = OutboxAutoConfiguration.class)
@ConditionalOnClass(MDC.class)
@Conditional(MdcAutoConfiguration.IsAskedFor.class)
@EnableConfigurationProperties(OutboxProperties.class)
public class MdcAutoConfiguration {
    @Bean
    MdcHeaders outboxMdcHeaders(OutboxProperties properties) {
        return new MdcHeaders(properties.getHeaders().getFromMdc());
    }

    static final class IsAskedFor implements Condition {
        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return !Binder.get(context.getEnvironment())
                    .bind("outbox.headers.from-mdc", Bindable.listOf(String.class))
                    .orElseGet(List::of)
                    .isEmpty();
        }
    }
}
