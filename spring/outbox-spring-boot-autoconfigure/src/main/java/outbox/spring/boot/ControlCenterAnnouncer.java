package outbox.spring.boot;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import outbox.control.remote.Announcement;

/** Announces the application when it is ready to answer the server, and stops trying when it ends. */
final class ControlCenterAnnouncer implements AutoCloseable {
    private final List<Announcement> announcements;
    private final AtomicBoolean started = new AtomicBoolean();

    ControlCenterAnnouncer(List<Announcement> announcements) {
        this.announcements = List.copyOf(announcements);
    }

    @EventListener
    void onReady(ApplicationReadyEvent event) {
        if (started.compareAndSet(false, true)) { // a child context is ready too
            announcements.forEach(Announcement::start);
        }
    }

    @Override
    public void close() {
        announcements.forEach(Announcement::close);
    }
}
