package outbox.spring.boot.test;

import java.util.stream.Stream;
import org.springframework.boot.test.context.SpringBootTestContextBootstrapper;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Finds the application and applies the properties of the slice. */
final class OutboxTestContextBootstrapper extends SpringBootTestContextBootstrapper {
    private static final String[] OF_THE_SLICE = {
        "outbox.poll.enabled=false",
        "outbox.failure-alerts.enabled=false",
        "outbox.purge.enabled=false",
        "outbox.retry.base-delay=1ms",
        "outbox.retry.max-delay=10ms"
    };

    @Override
    protected String[] getProperties(Class<?> testClass) {
        OutboxTest test = TestContextAnnotationUtils.findMergedAnnotation(testClass, OutboxTest.class);
        return test == null
                ? OF_THE_SLICE
                : Stream.of(OF_THE_SLICE, test.properties()).flatMap(Stream::of).toArray(String[]::new);
    }
}
