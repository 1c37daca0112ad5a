package outbox.migration;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** What listeners did, and which calls fail because another system is away. */
public final class Effects {
    private final List<String> seen = new CopyOnWriteArrayList<>();
    private final AtomicInteger refused = new AtomicInteger();
    private final Predicate<String> fails;

    public Effects(Predicate<String> fails) {
        this.fails = fails;
    }

    void add(String effect) {
        if (fails.test(effect)) {
            refused.incrementAndGet();
            throw new IllegalStateException("the other system is away");
        }
        seen.add(effect);
    }

    public List<String> seen() {
        return List.copyOf(seen);
    }

    public int refused() {
        return refused.get();
    }
}
