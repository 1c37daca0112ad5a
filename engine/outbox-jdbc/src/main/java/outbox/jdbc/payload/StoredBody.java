package outbox.jdbc.payload;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.sql.SQLException;
import outbox.EventEnvelope.PayloadForm;
import outbox.PayloadSource;
import outbox.UnreadablePayloadException;
import outbox.spi.UnitOfWork;

/** The payload of an event whose row has a reference. Each stream starts anew. Thread-safe. */
final class StoredBody implements PayloadSource {
    private final ClaimCheck claimCheck;
    private final String eventId;
    private final PayloadReference reference;

    StoredBody(ClaimCheck claimCheck, String eventId, PayloadReference reference) {
        this.claimCheck = claimCheck;
        this.eventId = eventId;
        this.reference = reference;
    }

    @Override
    public InputStream open() throws IOException {
        InputStream stored = stored(claimCheck, eventId, reference.stored());
        byte[] key = reference.key();
        return key == null ? stored : BodyCipher.decrypting(stored, key, eventId);
    }

    @Override
    public long size() {
        return reference.size();
    }

    @Override
    public PayloadForm form() {
        return reference.form();
    }

    @Override
    public String toString() {
        return "the payload of event " + eventId + " in " + claimCheck.table();
    }

    /** As it is stored, encrypted if it is. */
    static InputStream stored(ClaimCheck claimCheck, String eventId, long length) throws IOException {
        PayloadTable table = claimCheck.table();
        String location;
        try {
            location = UnitOfWork.single(claimCheck.connections, conn -> table.find(conn, eventId))
                    .orElseThrow(() -> new UnreadablePayloadException(
                            "the payload of event " + eventId + " is gone: table " + table + " does not have it"))
                    .location();
        } catch (SQLException e) {
            throw new IOException(
                    "the payload of event " + eventId + " could not be found in table " + table + ": " + e.getMessage(),
                    e);
        }
        if (location == null) {
            return new BodyStream(table, claimCheck.connections, eventId, length);
        }
        ObjectStore objects = claimCheck.objects;
        String prefix = objects == null ? "" : ClaimCheck.locationOf(objects, "");
        if (objects == null || !location.startsWith(prefix)) {
            throw new UnreadablePayloadException("the payload of event " + eventId + " is in the object store '"
                    + location.substring(0, Math.max(0, location.indexOf(':')))
                    + "', which this process is not configured for: configure it, then replay the event");
        }
        try {
            return new Complete(objects.open(location.substring(prefix.length())), eventId, length, location);
        } catch (NoSuchFileException e) {
            throw new UnreadablePayloadException(
                    "the payload of event " + eventId + " is gone: " + objects + " has no object " + location, e);
        }
    }

    /** An object that is shorter or longer than it was written is not the payload. */
    private static final class Complete extends Counted {
        private final String eventId;
        private final long length;
        private final String location;

        Complete(InputStream in, String eventId, long length, String location) {
            super(in);
            this.eventId = eventId;
            this.length = length;
            this.location = location;
        }

        @Override
        public int read() throws IOException {
            return checked(super.read());
        }

        @Override
        public int read(byte[] into, int offset, int size) throws IOException {
            return checked(super.read(into, offset, size));
        }

        private int checked(int read) {
            if (read < 0 ? count() != length : count() > length) {
                throw new UnreadablePayloadException("the payload of event " + eventId + " is damaged: object "
                        + location + " does not have its " + length + " bytes");
            }
            return read;
        }
    }
}
