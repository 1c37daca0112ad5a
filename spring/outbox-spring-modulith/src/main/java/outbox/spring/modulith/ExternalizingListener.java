package outbox.spring.modulith;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.support.OutboxEventExternalizer;
import outbox.AsyncEventListener;
import outbox.EventEnvelope;
import outbox.domain.type.EventDeserializer;

/** Gives events to one transport of Spring Modulith, which maps and sends them. */
record ExternalizingListener(
        EventDeserializer reader, EventExternalizationConfiguration configuration, OutboxEventExternalizer externalizer)
        implements AsyncEventListener {
    private static final CompletionStage<?> DONE = CompletableFuture.completedFuture("not to be externalized");

    @Override
    public CompletionStage<?> onEventAsync(EventEnvelope envelope) {
        Object event = reader.read(envelope);
        return configuration.supports(event) ? externalizer.externalize(event) : DONE;
    }
}
