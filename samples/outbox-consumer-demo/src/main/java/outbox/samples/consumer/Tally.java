package outbox.samples.consumer;

/** How many messages came, and how many of them were new. Not thread-safe. */
final class Tally {
    private int seen;
    private int booked;

    void add(boolean isNew) {
        seen++;
        if (isNew) {
            booked++;
        }
    }

    int seen() {
        return seen;
    }

    @Override
    public String toString() {
        return seen + " came, " + booked + " booked, " + (seen - booked) + " known from before";
    }
}
