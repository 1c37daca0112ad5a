package outbox.samples.shop.board;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.http.MediaType;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Sends the board to every page that is open, whenever it has changed. One look at the tables serves all of them; while no
 * page is open nobody looks.
 */
@Component
class LiveFeed implements SmartLifecycle {
    private static final Logger LOG = System.getLogger(LiveFeed.class.getName());
    private static final long LOOK_EVERY_MS = 200;
    private static final int LOOKS_UNTIL_SIGN_OF_LIFE = 50;

    private final Board board;
    private final List<SseEmitter> pages = new CopyOnWriteArrayList<>();
    private @Nullable ScheduledExecutorService thread;
    private @Nullable BoardView last;
    private int quietLooks;

    LiveFeed(Board board) {
        this.board = board;
    }

    SseEmitter subscribe() throws IOException {
        SseEmitter page = new SseEmitter(0L);
        page.onCompletion(() -> pages.remove(page));
        page.onError(failure -> pages.remove(page));
        page.send(message(board.view()));
        pages.add(page);
        return page;
    }

    private static SseEmitter.SseEventBuilder message(BoardView view) {
        return SseEmitter.event().name("board").data(view, MediaType.APPLICATION_JSON);
    }

    private void look() {
        try {
            if (pages.isEmpty()) {
                return;
            }
            BoardView view = board.view();
            if (!view.equals(last)) {
                last = view;
                quietLooks = 0;
                sendAll(message(view));
            } else if (++quietLooks % LOOKS_UNTIL_SIGN_OF_LIFE == 0) {
                sendAll(SseEmitter.event().comment("still here")); // finds out who has gone
            }
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "the board could not be sent; tried again in " + LOOK_EVERY_MS + " ms", e);
        }
    }

    private void sendAll(SseEmitter.SseEventBuilder message) {
        List<SseEmitter> gone = new ArrayList<>();
        for (SseEmitter page : pages) {
            try {
                page.send(message);
            } catch (IOException | IllegalStateException e) {
                gone.add(page);
            }
        }
        pages.removeAll(gone);
    }

    @Override
    public synchronized void start() {
        if (thread == null) {
            thread = Executors.newSingleThreadScheduledExecutor(task -> {
                Thread feed = new Thread(task, "live-feed");
                feed.setDaemon(true);
                return feed;
            });
            var unused = thread.scheduleWithFixedDelay(this::look, LOOK_EVERY_MS, LOOK_EVERY_MS, TimeUnit.MILLISECONDS);
        }
    }

    /** Before the web server: it would wait for pages that never end. */
    @Override
    public synchronized void stop() {
        Objects.requireNonNull(thread).shutdownNow();
        thread = null;
        pages.forEach(SseEmitter::complete);
        pages.clear();
    }

    @Override
    public synchronized boolean isRunning() {
        return thread != null;
    }
}
