package outbox.spring.boot.test;

import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/** Resets the {@link TestOutbox} before each test, and before test transactions begin (order 4000). */
final class TestOutboxExecutionListener implements TestExecutionListener, Ordered {
    @Override
    public void beforeTestMethod(TestContext testContext) {
        if (testContext.hasApplicationContext()) {
            ApplicationContext context = testContext.getApplicationContext();
            context.getBeanProvider(TestOutbox.class).ifAvailable(TestOutbox::begin);
        }
    }

    @Override
    public int getOrder() {
        return 3900;
    }
}
