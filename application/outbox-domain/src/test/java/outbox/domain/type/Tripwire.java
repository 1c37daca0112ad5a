package outbox.domain.type;

/** Leaves a trace if anybody loads it. */
class Tripwire {
    static {
        System.setProperty("outbox.tripwire", "loaded");
    }
}
