package outbox.spring.boot;

import java.util.IdentityHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import outbox.node.AttemptRecorder;
import outbox.spi.FailureListener;
import outbox.spring.boot.properties.PropertyGroup;
import outbox.spring.boot.properties.SchemaProperties.SchemaMode;

/** An {@link AttemptRecorder} for each database with an outbox. Thread-safe. */
final class AttemptRecording implements FailureRecording, DisposableBean {
    private final ControlCenterProperties properties;
    private final SchemaMode schemaMode;
    private final ObjectProvider<FailureListener> listeners;
    private final IdentityHashMap<DataSource, FailureListener> recorders = new IdentityHashMap<>(); // guarded by this

    AttemptRecording(
            ControlCenterProperties properties, SchemaMode schemaMode, ObjectProvider<FailureListener> listeners) {
        this.properties = properties;
        this.schemaMode = schemaMode;
        this.listeners = listeners;
    }

    /** An application with its own recorder needs no second one. */
    @Override
    public synchronized FailureListener listenerOf(String outbox, DataSource dataSource) {
        return ownRecorder() != null
                ? FailureListener.NONE
                : recorders.computeIfAbsent(dataSource, unused -> newRecorder(outbox, dataSource));
    }

    /** The recorder of this outbox; {@code null} if its failures are not recorded. */
    @Nullable
    AttemptRecorder recorderOf(String outbox, DataSource dataSource) {
        AttemptRecorder own = ownRecorder();
        if (own != null) {
            return own;
        }
        return properties.isRecordAttempts() && listenerOf(outbox, dataSource) instanceof AttemptRecorder recorder
                ? recorder
                : null;
    }

    private @Nullable AttemptRecorder ownRecorder() {
        return listeners.stream()
                .filter(AttemptRecorder.class::isInstance)
                .map(AttemptRecorder.class::cast)
                .findFirst()
                .orElse(null);
    }

    private FailureListener newRecorder(String outbox, DataSource dataSource) {
        if (!properties.isRecordAttempts()
                || !ControlTables.areUsableByNodes(
                        dataSource, schemaMode, "failed attempts of outbox '" + outbox + "' are not recorded")) {
            return FailureListener.NONE;
        }
        return new PropertyGroup("outbox.control-center")
                .make(
                        "attempts-retention",
                        properties.getAttemptsRetention(),
                        kept -> AttemptRecorder.on(dataSource, kept));
    }

    @Override
    public synchronized void destroy() {
        recorders.values().forEach(listener -> {
            if (listener instanceof AttemptRecorder recorder) {
                recorder.close();
            }
        });
        recorders.clear();
    }
}
