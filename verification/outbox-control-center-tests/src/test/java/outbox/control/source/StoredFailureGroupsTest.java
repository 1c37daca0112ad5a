package outbox.control.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import outbox.RetryAfterException;
import outbox.domain.handler.HandlersFailedException;
import outbox.util.FailureText;

/** One cause is one group, whichever way it came to be stored. */
class StoredFailureGroupsTest {
    private static Throwable smtpDown() {
        Throwable cause = new ConnectException("refused");
        cause.setStackTrace(new StackTraceElement[] {
            new StackTraceElement("sun.nio.ch.Net", "connect", "Net.java", 579),
            new StackTraceElement("java.net.Socket", "connect", "Socket.java", 633),
            new StackTraceElement("shop.Mailer", "on", "Mailer.java", 12),
            new StackTraceElement("outbox.domain.handler.HandlerRunner", "invoke", "HandlerRunner.java", 170),
            new StackTraceElement("outbox.domain.handler.HandlerQueue", "run", "HandlerQueue.java", 90),
            new StackTraceElement("java.lang.Thread", "run", "Thread.java", 840)
        });
        return cause;
    }

    @Test
    void theWayThatAFailureCameMakesNoOtherGroup() {
        ErrorSignature plain = ErrorSignature.of(FailureText.of(smtpDown()));
        assertThat(plain.errorClass()).isEqualTo("java.net.ConnectException");
        assertThat(plain.message()).isEqualTo("refused");
        assertThat(plain.frame()).isEqualTo("shop.Mailer.on");
        assertThat(ErrorSignature.of(FailureText.of(new RetryAfterException(
                        Duration.ofSeconds(1), "handler 'mail' failed, attempt 1", smtpDown()))))
                .isEqualTo(plain);
        assertThat(ErrorSignature.of(FailureText.of(
                        new HandlersFailedException("handler 'mail' failed, attempt 3 of 3", smtpDown()))))
                .isEqualTo(plain);
        assertThat(ErrorSignature.of(FailureText.of(new ExecutionException("handler 'mail' failed", smtpDown()))))
                .isEqualTo(plain);
        assertThat(ErrorSignature.of(FailureText.of(new HandlersFailedException(
                        "handler 'mail' gave up after attempt 3",
                        new FailureText.Earlier(FailureText.of(smtpDown()))))))
                .isEqualTo(plain);
    }

    @Test
    void theCauseAndItsPlaceInTheApplicationComeFirstAndOurFramesAreCounted() {
        String text = FailureText.of(new HandlersFailedException("handler 'mail' failed, attempt 3 of 3", smtpDown()));

        assertThat(text.lines())
                .startsWith(
                        "java.net.ConnectException: refused",
                        "  in shop.Mailer.on(Mailer.java:12)",
                        "  at sun.nio.ch.Net.connect(Net.java:579)",
                        "  at java.net.Socket.connect(Socket.java:633)",
                        "  at shop.Mailer.on(Mailer.java:12)",
                        "  ... 2 frames of the outbox",
                        "  at java.lang.Thread.run(Thread.java:840)",
                        "Wrapped by: outbox.domain.handler.HandlersFailedException: handler 'mail' failed, attempt 3 of 3");
        assertThat(text).doesNotContain("  at outbox.");
    }

    @Test
    void aCauseThatIsItsOwnAndOneThatCannotBeReadEndToo() {
        Exception one = new Exception("one");
        Exception other = new Exception("other", one);
        one.initCause(other);
        assertThat(FailureText.of(one)).startsWith("java.lang.Exception: other");
        Throwable unreadable = new RuntimeException() {
            @Override
            public String getMessage() {
                throw new IllegalStateException("no");
            }
        };
        assertThat(FailureText.of(unreadable)).endsWith("(its message cannot be read)");
        Throwable unfathomable = new RuntimeException("deep") {
            @Override
            public synchronized Throwable getCause() {
                throw new IllegalStateException("no");
            }
        };
        assertThat(FailureText.of(unfathomable)).contains("cannot be read");
        assertThat(FailureText.classOf(unfathomable))
                .isEqualTo(unfathomable.getClass().getName());
    }
}
