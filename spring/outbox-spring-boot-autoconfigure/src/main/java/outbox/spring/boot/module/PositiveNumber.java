package outbox.spring.boot.module;

/** Checks a setting. */
final class PositiveNumber {
    private PositiveNumber() {}

    static int of(int number) {
        if (number <= 0) {
            throw new IllegalArgumentException("it must be positive");
        }
        return number;
    }
}
