package outbox.control.access;

/** What a route asks for. */
public enum Permission {
    /** See events, without their payloads. */
    VIEW,
    /** Read payloads; no role has it by itself. */
    PAYLOAD,
    /** Retry, skip, park and delete events, one or many. */
    ACT,
    /** See the audit log, manage users and tokens. */
    ADMIN
}
