package outbox.spring.boot.module;

import java.util.Map;
import java.util.function.Predicate;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;
import outbox.inbox.Inbox;
import outbox.spring.boot.properties.InboxGroupProperties;
import outbox.spring.boot.properties.InboxProperties;

/** Which consumer groups have consumers of a kind. */
final class InboxGroups {
    private InboxGroups() {}

    static Inbox inboxOf(BeanFactory beans, String group) {
        return BeanFactoryAnnotationUtils.qualifiedBeanOfType(beans, Inbox.class, group);
    }

    /** Whether there is such a group. */
    abstract static class Exists implements Condition {
        private final Predicate<InboxGroupProperties> wanted;

        Exists(Predicate<InboxGroupProperties> wanted) {
            this.wanted = wanted;
        }

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return Binder.get(context.getEnvironment())
                    .bind(InboxProperties.PREFIX + ".groups", Bindable.mapOf(String.class, InboxGroupProperties.class))
                    .orElseGet(Map::of)
                    .values()
                    .stream()
                    .anyMatch(wanted);
        }
    }
}
