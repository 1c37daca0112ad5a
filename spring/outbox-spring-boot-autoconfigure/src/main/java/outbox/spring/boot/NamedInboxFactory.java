package outbox.spring.boot;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.Environment;
import outbox.inbox.DurableInbox;
import outbox.inbox.InboxHandler;
import outbox.inbox.InlineInbox;
import outbox.spring.boot.properties.InboxGroupProperties;
import outbox.spring.boot.properties.InboxProperties;
import outbox.spring.boot.properties.OutboxProperties;
import outbox.spring.boot.properties.RefusedSettingsException;

/**
 * Creates the beans of each group in {@code outbox.inbox.groups.*}. {@link NamedInboxes} refers to these methods by name in
 * bean definitions.
 */
final class NamedInboxFactory implements SmartInitializingSingleton {
    private final ConfigurableListableBeanFactory beans;
    private final Environment environment;
    private final Map<String, InboxAssembler.Assembled> assembled = new ConcurrentHashMap<>();

    NamedInboxFactory(ConfigurableListableBeanFactory beans, Environment environment) {
        this.beans = beans;
        this.environment = environment;
    }

    OutboxUnit unit(String group) {
        Map<String, InboxGroupProperties> groups =
                beans.getBean(InboxProperties.class).getGroups();
        refuseSharedTables(groups);
        InboxConsumerParts.refuseMissing(group, Objects.requireNonNull(groups.get(group), group), beans);
        InboxAssembler.Assembled made = new InboxAssembler(beans, environment)
                .assemble(group, Objects.requireNonNull(groups.get(group), group));
        assembled.put(group, made);
        return made.unit();
    }

    DurableInbox durable(String group) {
        return of(group).durable();
    }

    InlineInbox inline(String group) {
        return Objects.requireNonNull(of(group).inline(), group);
    }

    private InboxAssembler.Assembled of(String group) {
        OutboxUnit unused = beans.getBean(group + NamedInboxes.UNIT, OutboxUnit.class);
        return Objects.requireNonNull(assembled.get(group), group);
    }

    /** Any node of a table handles any row of it, and the purge of one group deletes the progress of its own table. */
    private void refuseSharedTables(Map<String, InboxGroupProperties> groups) {
        OutboxProperties outbox = beans.getBean(OutboxProperties.class);
        Map<UsedTable, String> owners = tablesOfOutboxes(outbox);
        groups.forEach((name, group) -> {
            String dataSource = group.getDataSource() == null ? outbox.getDataSource() : group.getDataSource();
            for (String table : List.of(group.getTable(), group.getConsumptionTable())) {
                String owner = InboxProperties.PREFIX + ".groups." + name;
                String other = owners.put(used(dataSource, table), owner);
                if (other != null) {
                    throw new RefusedSettingsException(
                            other + " and " + owner + " use the same table " + table
                                    + ", so each would handle the messages of the other",
                            "Set " + owner + ".table and .consumption-table.");
                }
            }
        });
    }

    private record UsedTable(DataSource dataSource, String table) {}

    /** Whether it is named or the default one, it is the same bean. */
    private UsedTable used(@Nullable String dataSource, String table) {
        return new UsedTable(
                TransactionManagers.target(DataSources.of(beans, dataSource)), table.toLowerCase(Locale.ROOT));
    }

    private Map<UsedTable, String> tablesOfOutboxes(OutboxProperties outbox) {
        Map<UsedTable, String> owners = new HashMap<>();
        if (beans.containsBeanDefinition(OutboxAutoConfiguration.SOLE_UNIT)) {
            owners.put(used(outbox.getDataSource(), outbox.getTable()), "outbox");
            owners.put(used(outbox.getDataSource(), outbox.getConsumptionTable()), "outbox");
        }
        outbox.getInstances().forEach((name, instance) -> {
            if (instance.getDataSource() != null) { // otherwise it is refused itself
                String owner = "outbox.instances." + name;
                owners.put(used(instance.getDataSource(), NamedOutboxFactory.table(name, instance, outbox)), owner);
                owners.put(
                        used(instance.getDataSource(), NamedOutboxFactory.consumptionTable(name, instance, outbox)),
                        owner);
            }
        });
        return owners;
    }

    /** A handler that belongs to no group would never be called. */
    @Override
    public void afterSingletonsInstantiated() {
        Set<String> groups =
                new TreeSet<>(beans.getBean(InboxProperties.class).getGroups().keySet());
        for (Class<?> type : new HandlerBeans(beans, List.of(), InboxHandler.Mark.all()).types()) {
            for (Method method : handlerMethods(type)) {
                String group = Objects.requireNonNull(
                                AnnotatedElementUtils.findMergedAnnotation(method, InboxHandler.class))
                        .group();
                if (groups.isEmpty() || (!group.isEmpty() && !groups.contains(group))) {
                    throw new RefusedSettingsException(
                            "@InboxHandler method " + method + " would never be called: "
                                    + (groups.isEmpty()
                                            ? "there is no consumer group"
                                            : "there is no consumer group '" + group + "' in outbox.inbox.groups, only "
                                                    + groups),
                            "Set outbox.inbox.groups." + (group.isEmpty() ? "<name>" : group) + ".*, or the group of"
                                    + " the annotation.");
                }
                if (group.isEmpty() && groups.size() > 1) {
                    throw new RefusedSettingsException(
                            "@InboxHandler method " + method + " names no group, and there are several: " + groups,
                            "Set the group of the annotation.");
                }
            }
        }
    }

    private static List<Method> handlerMethods(Class<?> type) {
        return new ArrayList<>(MethodIntrospector.selectMethods(
                type, (Method method) -> AnnotatedElementUtils.hasAnnotation(method, InboxHandler.class)));
    }
}
