/** Is it a bean of an optional module? Each has its own auto-configuration and its own properties. */
@NullMarked
package outbox.spring.boot.module;

import org.jspecify.annotations.NullMarked;
