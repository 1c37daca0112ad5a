package outbox.torture;

import java.util.concurrent.TimeUnit;

/** Tells what is going on: one line that changes on a terminal, a line every few seconds elsewhere. Thread-safe. */
final class Progress {
    private static final long EVERY = TimeUnit.SECONDS.toNanos(5);

    private final boolean terminal = Boolean.getBoolean("torture.terminal");
    private String title = "";
    private long shownAt;

    synchronized void begin(String title) {
        this.title = title;
        this.shownAt = System.nanoTime();
        if (!terminal) {
            System.out.println(title);
        }
    }

    synchronized void show(String state) {
        if (terminal) {
            System.out.print("\r\033[K" + title + "  " + state);
            System.out.flush();
        } else if (System.nanoTime() - shownAt >= EVERY) {
            shownAt = System.nanoTime();
            System.out.println("    " + state);
        }
    }

    synchronized void end(String outcome) {
        System.out.println((terminal ? "\r\033[K" + title + "  " : "    ") + outcome);
    }
}
