package outbox.control.access;

/** The permission a route requires. */
public enum Permission {
    /** See events, without their payloads. */
    VIEW,
    /** Read payloads; granted separately from roles. */
    PAYLOAD,
    /** Write a copy of an event, with any content; granted separately from roles, on top of {@link #ACT}. */
    CLONE,
    /** Retry, skip, park and delete events, one or many. */
    ACT,
    /** See the audit log, manage users and tokens. */
    ADMIN
}
