package outbox.control.remote;

/** An application gave no usable answer. The message is for users. */
public final class RemoteException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;

    RemoteException(int status, String message) {
        super(message);
        this.status = status;
    }

    RemoteException(int status, String message, Throwable cause) {
        super(message, cause);
        this.status = status;
    }

    /** The HTTP status for the user: 502, 503 or 504. */
    public int status() {
        return status;
    }
}
