package outbox.node;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.listener.ControlledListener;

/** The handlers of this process that operators can see, pause and send commands to. Implementations are thread-safe. */
public interface Switchboard {
    List<HandlerStatus> handlers();

    /** @return whether there is a handler of that name */
    boolean setPaused(String handler, boolean paused);

    /**
     * Carries out one command, such as {@code test}.
     *
     * @return the result, as text; {@code null} if there is no such handler or it does not support the command
     */
    default @Nullable String perform(String action, String handler) {
        return null;
    }

    /** A switchboard of listeners. */
    static Switchboard of(ControlledListener... listeners) {
        List<ControlledListener> all = List.of(listeners);
        return new Switchboard() {
            @Override
            public List<HandlerStatus> handlers() {
                return all.stream()
                        .map(listener -> new HandlerStatus(
                                listener.name(),
                                "listener",
                                "",
                                listener.isPaused(),
                                false,
                                listener.breakerState(),
                                0,
                                0,
                                listener.delivered(),
                                listener.failed(),
                                Set.of(HandlerStatus.PAUSE)))
                        .toList();
            }

            @Override
            public boolean setPaused(String handler, boolean paused) {
                ControlledListener[] named = all.stream()
                        .filter(listener -> listener.name().equals(handler))
                        .toArray(ControlledListener[]::new);
                Arrays.stream(named).forEach(listener -> {
                    if (paused) {
                        listener.pause();
                    } else {
                        listener.resume();
                    }
                });
                return named.length > 0;
            }
        };
    }
}
