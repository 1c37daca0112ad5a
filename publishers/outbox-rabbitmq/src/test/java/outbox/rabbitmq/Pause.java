package outbox.rabbitmq;

/** For tests of waiting itself. */
final class Pause {
    private Pause() {}

    static void seconds(double seconds) {
        try {
            Thread.sleep((long) (seconds * 1000));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
