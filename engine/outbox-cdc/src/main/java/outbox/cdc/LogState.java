package outbox.cdc;

import org.jspecify.annotations.Nullable;

/**
 * What the database keeps of its log for a relay.
 *
 * @param retainedBytes from the oldest part it still needs to the end
 * @param warning why the log may outgrow its disk or be cut off; {@code null} if all is well
 */
record LogState(long retainedBytes, @Nullable String warning) {}
