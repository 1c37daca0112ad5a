package outbox.control.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LimitedPasswordHasherTest {
    private final CountDownLatch entered = new CountDownLatch(2);
    private final CountDownLatch leave = new CountDownLatch(1);

    private final PasswordHasher slow = new PasswordHasher() {
        @Override
        public String hash(String password) {
            entered.countDown();
            try {
                leave.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return password;
        }

        @Override
        public boolean matches(String password, String hash) {
            return hash(password).equals(hash);
        }
    };

    @Test
    void theThirdHasToWaitAndDoesNotWaitForEver() throws Exception {
        LimitedPasswordHasher hasher = new LimitedPasswordHasher(slow, Duration.ofMillis(50));
        ExecutorService people = Executors.newFixedThreadPool(2);
        try {
            Future<String> first = people.submit(() -> hasher.hash("one"));
            Future<Boolean> second = people.submit(() -> hasher.matches("two", "two"));
            entered.await();
            assertThatThrownBy(() -> hasher.hash("three")).hasMessageContaining("too many passwords");
            leave.countDown();
            assertThat(first.get()).isEqualTo("one");
            assertThat(second.get()).isTrue();
            assertThat(hasher.hash("three")).isEqualTo("three");
        } finally {
            people.shutdownNow();
        }
    }
}
