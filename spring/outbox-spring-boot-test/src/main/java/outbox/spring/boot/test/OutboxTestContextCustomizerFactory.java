package outbox.spring.boot.test;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Reduces the application to the slice if the test is an {@link OutboxTest}. */
final class OutboxTestContextCustomizerFactory implements ContextCustomizerFactory {
    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> configAttributes) {
        OutboxTest test = TestContextAnnotationUtils.findMergedAnnotation(testClass, OutboxTest.class);
        if (test == null) {
            return null;
        }
        Set<String> included = new TreeSet<>();
        for (Class<?> type : test.include()) {
            included.add(type.getName());
        }
        return new SliceCustomizer(included);
    }
}
