/** What does an application look like before and after its migration from another library? */
@NullMarked
package outbox.migration;

import org.jspecify.annotations.NullMarked;
