package outbox.spring.boot.properties;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.core.env.Environment;

/** One consumer group; settings that are not set default to outbox.*. */
public class InboxGroupProperties {
    /**
     * When messages are handled: by the engine after they were stored, or at once, in the transaction of their record.
     */
    private Mode mode = Mode.DURABLE;

    /** Name of the DataSource bean whose database holds the table. Default: outbox.data-source. */
    private @Nullable String dataSource;

    /** Name of the transaction manager bean for that data source. Default: the one that manages it. */
    private @Nullable String transactionManager;

    /** Name of the inbox table. Groups must not share one. */
    private String table = "inbox_event";

    /** Name of the table with the progress of handlers. Groups with different inbox tables must not share one. */
    private String consumptionTable = "inbox_consumption";

    /** Header with the id of messages that have none in the usual place. */
    private @Nullable String messageIdHeader;

    /** Whether messages without an id are known by source, position and key, such as topic, partition and offset. */
    private boolean messageIdByPosition;

    /** Whether messages that cannot be stored or have no id become dead letters. Otherwise receiving them fails. */
    private boolean deadLetterInvalid = true;

    /** How long handled messages are remembered. A message that comes again later is handled again. */
    private Duration deduplicationWindow = Duration.ofDays(7);

    /** Whether messages of one key are handled one after the other, across all nodes. For durable groups. */
    private boolean ordered;

    /**
     * What happens to messages whose handler fails at once: the engine retries them, or the broker delivers them again.
     * For inline groups.
     */
    private Failures failures = Failures.STORE;

    @NestedConfigurationProperty
    private final DispatchProperties dispatch = new DispatchProperties();

    @NestedConfigurationProperty
    private final PollProperties poll = new PollProperties();

    @NestedConfigurationProperty
    private final RetryProperties retry = new RetryProperties();

    @NestedConfigurationProperty
    private final InboxKafkaProperties kafka = new InboxKafkaProperties();

    @NestedConfigurationProperty
    private final InboxRabbitProperties rabbitmq = new InboxRabbitProperties();

    @NestedConfigurationProperty
    private final InboxWebhookProperties webhook = new InboxWebhookProperties();

    /** When messages are handled. */
    public enum Mode {
        /** After they were stored, by the engine. */
        DURABLE,
        /** When they come, in the transaction of their record. */
        INLINE
    }

    /** What becomes of a message whose handler fails at once. */
    public enum Failures {
        /** It is stored, and the engine retries it. */
        STORE,
        /** It is not acknowledged, and the broker delivers it again. */
        REDELIVER
    }

    /** The properties of outbox.*, overridden by those of the group. */
    public static OutboxProperties merged(Environment environment, String group) {
        OutboxProperties merged = InstanceProperties.mergedWith(environment, "outbox.inbox.groups." + group);
        merged.getPartitions().setEnabled(false); // its ids hold no time
        merged.getArchive().setTable(null);
        merged.getArchive().setDirectory(null);
        return merged;
    }

    public Mode getMode() {
        return mode;
    }

    public void setMode(Mode mode) {
        this.mode = mode;
    }

    public @Nullable String getDataSource() {
        return dataSource;
    }

    public void setDataSource(@Nullable String dataSource) {
        this.dataSource = dataSource;
    }

    public @Nullable String getTransactionManager() {
        return transactionManager;
    }

    public void setTransactionManager(@Nullable String transactionManager) {
        this.transactionManager = transactionManager;
    }

    public String getTable() {
        return table;
    }

    public void setTable(String table) {
        this.table = table;
    }

    public String getConsumptionTable() {
        return consumptionTable;
    }

    public void setConsumptionTable(String consumptionTable) {
        this.consumptionTable = consumptionTable;
    }

    public @Nullable String getMessageIdHeader() {
        return messageIdHeader;
    }

    public void setMessageIdHeader(@Nullable String messageIdHeader) {
        this.messageIdHeader = messageIdHeader;
    }

    public boolean isMessageIdByPosition() {
        return messageIdByPosition;
    }

    public void setMessageIdByPosition(boolean messageIdByPosition) {
        this.messageIdByPosition = messageIdByPosition;
    }

    public boolean isDeadLetterInvalid() {
        return deadLetterInvalid;
    }

    public void setDeadLetterInvalid(boolean deadLetterInvalid) {
        this.deadLetterInvalid = deadLetterInvalid;
    }

    public Duration getDeduplicationWindow() {
        return deduplicationWindow;
    }

    public void setDeduplicationWindow(Duration deduplicationWindow) {
        this.deduplicationWindow = deduplicationWindow;
    }

    public boolean isOrdered() {
        return ordered;
    }

    public void setOrdered(boolean ordered) {
        this.ordered = ordered;
    }

    public Failures getFailures() {
        return failures;
    }

    public void setFailures(Failures failures) {
        this.failures = failures;
    }

    public DispatchProperties getDispatch() {
        return dispatch;
    }

    public PollProperties getPoll() {
        return poll;
    }

    public RetryProperties getRetry() {
        return retry;
    }

    public InboxKafkaProperties getKafka() {
        return kafka;
    }

    public InboxRabbitProperties getRabbitmq() {
        return rabbitmq;
    }

    public InboxWebhookProperties getWebhook() {
        return webhook;
    }
}
