package outbox.spring.boot;

import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.context.SmartLifecycle;
import outbox.cdc.CdcRelay;
import outbox.cdc.CdcStatus;

/** Starts the relay when the handlers are there and closes it before they are. */
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
                    "the relay of outbox.cdc was closed with its context and does not begin again;"
                            + " start the application anew");
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

    /** A relay that was closed does not begin again, so a test context that is put aside keeps it. */
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return OutboxUnit.PHASE + 1;
    }
}
