package outbox.doctor;

/**
 * A check that could not run.
 *
 * @param what the name of the check
 * @param why the error of the database, or the missing setting
 */
public record Unseen(String what, String why) {}
