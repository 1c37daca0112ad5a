package outbox.dispatch;

/** What the engine's promises rest on; the simulation can switch each off and must then find a broken promise. */
enum Safeguard {
    /** Outcomes are written only by the owner of the lease. */
    FENCE,
    /** A row somebody holds is not claimed. */
    LEASE_CHECK,
    /** Leases are dated by the database. */
    DATABASE_CLOCK,
    /** Claimed rows are put in order after the database returned them in none. */
    SORT_OF_CLAIMS,
    /** Leases are renewed while listeners run. */
    RENEWAL,
    /** Rows are leased by the insert itself. */
    BORN_LEASE,
    /** After a claim whose answer got lost a node claims under another name. */
    FRESH_NAME,
    /** The attempt of an event whose lease ran out is written before its listener is called. */
    ATTEMPT_BEFORE_CALL,
    /** Calls have a time limit. */
    TIME_LIMIT,
    /** An outcome the database refuses is separated from its batch. */
    ISOLATION,
    /** A claim is bounded by bytes. */
    BYTE_BOUND,
    /** The time of an event's death is stored, and its retention counts from there. */
    DEATH_TIME
}
