package outbox.spring.boot.test;

import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/** Each test begins with no events, as far as it can see. Before transactions of tests begin, which is at 4000. */
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
