/** What a run leaves behind: JSON, a Markdown table, a chart, the section in the docs. */
@NullMarked
package outbox.benchmark.report;

import org.jspecify.annotations.NullMarked;
