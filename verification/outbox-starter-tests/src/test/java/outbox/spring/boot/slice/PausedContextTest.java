package outbox.spring.boot.slice;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.core.SpringVersion;
import org.springframework.test.context.TestContextManager;
import outbox.Outbox;
import outbox.spring.boot.slice.SliceParts.OrderPlaced;

/** Spring 7 pauses the contexts of earlier test classes, and wakes one for the next class that has the same. */
class PausedContextTest {
    @Test
    void aContextThatWasPutAsideDeliversWhenItIsUsedAgain() throws Exception {
        Outbox outbox = runTestClass();
        run(OutboxTestSnippetsTest.class, new OutboxTestSnippetsTest(), () -> {});
        assertThat(outbox.isRunning()).isEqualTo(SpringVersion.getVersion().startsWith("6."));

        assertThat(runTestClass()).isSameAs(outbox);
    }

    private static Outbox runTestClass() throws Exception {
        OutboxTestSliceTest test = new OutboxTestSliceTest();
        run(OutboxTestSliceTest.class, test, () -> {
            test.calm();
            String order = UUID.randomUUID().toString();
            test.orders.place(order);
            test.outbox.drain();
            test.outbox.published(OrderPlaced.class).withKey(order).isDone();
        });
        return test.context.getBean(Outbox.class);
    }

    private static void run(Class<?> testClass, Object test, Runnable method) throws Exception {
        TestContextManager spring = new TestContextManager(testClass);
        spring.beforeTestClass();
        spring.prepareTestInstance(test);
        method.run();
        spring.afterTestClass();
    }
}
