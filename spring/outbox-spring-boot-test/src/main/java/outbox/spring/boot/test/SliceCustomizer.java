package outbox.spring.boot.test;

import java.util.Set;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/** Tests with equal customizers share a context. */
record SliceCustomizer(Set<String> included) implements ContextCustomizer {
    @Override
    public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
        // The slice names its auto-configurations itself.
        TestPropertyValues.of(EnableAutoConfiguration.ENABLED_OVERRIDE_PROPERTY + "=false")
                .applyTo(context);
        context.getBeanFactory().registerSingleton(SliceFilter.class.getName(), new SliceFilter(included));
    }
}
