package outbox.spring.boot;

import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.context.SmartLifecycle;
import outbox.cdc.CdcRelay;
import outbox.cdc.CdcStatus;

/** Starts the relay after the handlers are ready and closes it before them. */
final class CdcRelayLifecycle implements SmartLifecycle, LogRelay {
    private final CdcRelay relay;
    private final boolean autoStartup;
    private volatile boolean running;
    private volatile boolean closed;

    CdcRelayLifecycle(CdcRelay relay, boolean autoStartup) {
        this.relay = relay;
        this.autoStartup = autoStartup;
    }

    @Override
    public void start() {
        if (closed) {
            throw new IllegalStateException(
                    "the relay of outbox.cdc was closed with its context and cannot be restarted;"
                            + " restart the application");
        }
        relay.start();
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        closed = true;
        relay.close();
    }

    @Override
    public boolean isStopped() {
        return relay.status().state() == CdcStatus.State.STOPPED;
    }

    @Override
    public Map<String, Object> details() {
        CdcStatus status = relay.status();
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("state", status.state().name());
        details.put("lagSeconds", status.lag().toSeconds());
        if (status.warning() != null) {
            details.put("warning", status.warning());
        }
        if (status.lastError() != null) {
            details.put("lastError", status.lastError());
        }
        return details;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public boolean isAutoStartup() {
        return autoStartup;
    }

    /** A closed relay cannot be restarted, so a paused test context keeps it running. */
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return OutboxUnit.PHASE + 1;
    }
}
