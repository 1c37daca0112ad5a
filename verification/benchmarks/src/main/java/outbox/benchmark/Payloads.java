package outbox.benchmark;

/** What the events carry: JSON objects of an exact size. Stateless. */
public final class Payloads {
    /** The size the targets are stated for. */
    public static final int BYTES = 200;

    private static final String HEAD = "{\"order\":";
    private static final String MIDDLE = ",\"text\":\"";
    private static final String TAIL = "\"}";

    private Payloads() {}

    /** A payload of {@value #BYTES} bytes. */
    public static String of(long number) {
        return of(number, BYTES);
    }

    public static String of(long number, int bytes) {
        StringBuilder json =
                new StringBuilder(bytes).append(HEAD).append(number).append(MIDDLE);
        for (int i = 0; json.length() < bytes - TAIL.length(); i++) {
            json.append((char) ('a' + (number + i) % 26));
        }
        return json.append(TAIL).toString();
    }
}
