package outbox.doctor;

/**
 * What could not be looked at.
 *
 * @param what the check that was left out
 * @param why the database's answer, or the setting that is missing
 */
public record Unseen(String what, String why) {}
