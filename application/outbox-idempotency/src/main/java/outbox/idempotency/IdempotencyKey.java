package outbox.idempotency;

/**
 * Identifies a request and its repetitions.
 *
 * @param tenantId empty where there are no tenants
 * @param scope what is created, such as {@code order}
 * @param key chosen by the caller
 */
public record IdempotencyKey(String tenantId, String scope, String key) {
    public static final int MAX_KEY = 128;
    public static final int MAX_SCOPE = 64;
    public static final int MAX_TENANT = 64;

    public IdempotencyKey {
        if (!tenantId.isEmpty()) {
            check("tenantId", tenantId, MAX_TENANT);
        }
        check("scope", scope, MAX_SCOPE);
        check("idempotency key", key, MAX_KEY);
    }

    private static void check(String what, String value, int limit) {
        if (value.isBlank()) {
            throw new IllegalArgumentException(what + " must not be empty");
        }
        if (value.length() > limit) {
            throw new IllegalArgumentException(
                    what + " has " + value.length() + " characters, at most " + limit + " are allowed");
        }
        // Some databases ignore trailing blanks; control characters are always a mistake.
        if (!value.equals(value.strip()) || value.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    what + " must not have leading or trailing blanks or contain control characters");
        }
    }

    @Override
    public String toString() {
        return (tenantId.isEmpty() ? "" : tenantId + "/") + scope + "/" + key;
    }
}
