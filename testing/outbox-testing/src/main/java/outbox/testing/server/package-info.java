/** Which real database does a test talk to? Servers started from Maven artifacts, or the ones a user names. */
@NullMarked
package outbox.testing.server;

import org.jspecify.annotations.NullMarked;
