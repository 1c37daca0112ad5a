package outbox.spring.boot;

import outbox.Outbox;

/** When the table is read. */
final class RelaySchedule {
    void start(Outbox outbox) {
        outbox.start();
    }

    void stop() {}
}
