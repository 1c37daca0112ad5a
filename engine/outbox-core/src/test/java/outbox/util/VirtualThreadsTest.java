package outbox.util;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class VirtualThreadsTest {
    @Test
    void areThereFromJdk21OnAndNotBefore() throws Exception {
        ThreadFactory factory = VirtualThreads.factory("v-");
        if (Runtime.version().feature() < 21) {
            assertThat(factory).isNull();
            return;
        }
        AtomicReference<Thread> ran = new AtomicReference<>();
        Thread thread = factory.newThread(() -> ran.set(Thread.currentThread()));
        thread.start();
        thread.join();
        assertThat(ran.get()).isSameAs(thread);
        assertThat(Thread.class.getMethod("isVirtual").invoke(thread)).isEqualTo(true);
        assertThat(thread.getName()).isEqualTo("v-1");
    }
}
