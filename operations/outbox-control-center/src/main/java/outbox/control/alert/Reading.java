package outbox.control.alert;

/**
 * One value of a metric.
 *
 * @param subject the node or handler it is about; empty for the application itself
 */
public record Reading(String subject, double value) {}
