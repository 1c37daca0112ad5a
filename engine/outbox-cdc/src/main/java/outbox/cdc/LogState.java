package outbox.cdc;

import org.jspecify.annotations.Nullable;

/**
 * The log that the database retains for a relay.
 *
 * @param retainedBytes from the oldest part the relay still needs to the end
 * @param warning why the log may fill the disk or be removed before it is read; {@code null} if there is no problem
 */
record LogState(long retainedBytes, @Nullable String warning) {}
