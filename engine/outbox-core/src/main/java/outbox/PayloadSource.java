package outbox;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope.PayloadForm;

/**
 * A payload that is read when it is needed, so that it need not fit into memory, nor into a row. An outbox with a claim
 * check stores it beside the event table when the event is written; listeners get a source that reads it from there.
 *
 * <pre>{@code
 * writer.write(EventEnvelope.builder("ReportReady")
 *     .payloadSource(PayloadSource.ofFile(report))
 *     .build());
 * }</pre>
 */
public interface PayloadSource {
    /** A stream of the payload from its start, each time; the caller closes it. */
    InputStream open() throws IOException;

    /** How many bytes it has; -1 if that is not known. */
    default long size() {
        return -1;
    }

    /** What the bytes are: JSON text in UTF-8, or anything. */
    default PayloadForm form() {
        return PayloadForm.BYTES;
    }

    /** The content of a file, read when the event is written. */
    static PayloadSource ofFile(Path file) {
        return new PayloadSource() {
            @Override
            public InputStream open() throws IOException {
                return Files.newInputStream(file);
            }

            @Override
            public String toString() {
                return file.toString();
            }
        };
    }

    /** Bytes in memory; the array is not copied. */
    static PayloadSource ofBytes(byte[] bytes) {
        return inMemory(bytes, PayloadForm.BYTES);
    }

    /** A JSON text in memory, which may be larger than a row's payload. */
    static PayloadSource ofJson(String json) {
        return inMemory(
                PayloadText.wholeCharacters("payload", json).getBytes(StandardCharsets.UTF_8), PayloadForm.JSON);
    }

    private static PayloadSource inMemory(byte[] bytes, PayloadForm form) {
        return new PayloadSource() {
            @Override
            public InputStream open() {
                return new ByteArrayInputStream(bytes);
            }

            @Override
            public long size() {
                return bytes.length;
            }

            @Override
            public PayloadForm form() {
                return form;
            }

            @Override
            public @Nullable String toString() {
                return bytes.length + " bytes in memory";
            }
        };
    }
}
