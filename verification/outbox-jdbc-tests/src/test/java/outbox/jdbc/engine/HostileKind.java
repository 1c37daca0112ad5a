package outbox.jdbc.engine;

import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import outbox.AsyncEventListener;
import outbox.EventListener;

/** What a hostile event does to its listener, its connections or its row; the event type is its name. */
enum HostileKind {
    THROWS_TEXT(true),
    THROWS_ERROR(true),
    /** Nothing can be read of what it throws, or it never ends. */
    THROWS_UNREADABLE(true),
    HANGS(true),
    /** Does not return when it is interrupted, only later. */
    HANGS_DEAF(true),
    NEVER_COMPLETES(true),
    /** Its stage fails, and then says that all is well. */
    COMPLETES_TWICE(true),
    /** A trigger refuses that it is done. */
    REFUSED(true),
    INTERRUPTS(false),
    /** Closes the pool of its node under everybody who uses it. */
    CLOSES_POOL(false);

    private static final long DEAF_NANOS = TimeUnit.SECONDS.toNanos(3);

    private final boolean mustDie;

    HostileKind(boolean mustDie) {
        this.mustDie = mustDie;
    }

    /** Whether no attempt of it can succeed. */
    boolean mustDie() {
        return mustDie;
    }

    /** @param closePool closes the pool of the node that calls */
    EventListener listener(Random random, Runnable closePool) {
        return switch (this) {
            case NEVER_COMPLETES -> (AsyncEventListener) event -> new CompletableFuture<>();
            case COMPLETES_TWICE -> (AsyncEventListener) event -> new TwiceStage();
            default -> event -> behave(random, closePool);
        };
    }

    private void behave(Random random, Runnable closePool) throws Exception {
        switch (this) {
            case THROWS_TEXT -> throw new IllegalStateException(text(random));
            case THROWS_ERROR ->
                throw switch (random.nextInt(4)) {
                    case 0 -> new NoClassDefFoundError(text(random));
                    case 1 -> new OutOfMemoryError(text(random));
                    case 2 -> new StackOverflowError();
                    default -> new AssertionError(text(random));
                };
            case THROWS_UNREADABLE -> throw random.nextBoolean() ? new Unreadable() : endless();
            case HANGS -> new CountDownLatch(1).await();
            case HANGS_DEAF -> {
                long end = System.nanoTime() + DEAF_NANOS;
                while (System.nanoTime() - end < 0) {
                    LockSupport.parkNanos(end - System.nanoTime());
                    boolean ignored = Thread.interrupted();
                }
            }
            case INTERRUPTS -> Thread.currentThread().interrupt();
            case CLOSES_POOL -> closePool.run();
            default -> {}
        }
    }

    /** Any characters, or ones that are known to be hard to store. */
    static String text(Random random) {
        List<String> hard = List.of(
                "", "\u0000", "\ud83d", "\ude80\ud83d", "\ud83d\ude80", "\u05e9\u05dc\u05d5\u05dd\u202e", "'\"\\%_;--");
        StringBuilder text = new StringBuilder(hard.get(random.nextInt(hard.size())));
        int length = random.nextInt(10) == 0 ? 100_000 : random.nextInt(300);
        for (int i = 0; i < length; i++) {
            text.append((char) random.nextInt(random.nextBoolean() ? 0x80 : 0x10000));
        }
        return text.toString();
    }

    private static RuntimeException endless() {
        RuntimeException first = new IllegalStateException("first");
        first.initCause(new IllegalStateException("second", first));
        return first;
    }

    private static final class Unreadable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no message");
        }
    }

    private static final class TwiceStage extends CompletableFuture<Void> {
        @Override
        public CompletableFuture<Void> whenComplete(BiConsumer<? super Void, ? super Throwable> action) {
            action.accept(null, new IllegalStateException("first"));
            action.accept(null, null);
            return this;
        }
    }
}
