package outbox.webhook;

import java.net.URI;
import java.util.Map;

/** A request to send. */
@SuppressWarnings("ArrayRecordComponent") // passed on once, never compared
record HttpPost(URI url, Map<String, String> headers, byte[] body) {}
