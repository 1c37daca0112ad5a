package outbox.spring.boot;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
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
    private static void refuseSharedTables(Map<String, InboxGroupProperties> groups) {
        Map<String, String> owners = new LinkedHashMap<>();
        groups.forEach((name, group) -> {
            for (String table : List.of(group.getTable(), group.getConsumptionTable())) {
                String other = owners.put(group.getDataSource() + "/" + table.toLowerCase(Locale.ROOT), name);
                if (other != null) {
                    throw new RefusedSettingsException(
                            "outbox.inbox.groups." + other + " and outbox.inbox.groups." + name + " use the same table "
                                    + table + ", so each would handle the messages of the other",
                            "Set outbox.inbox.groups." + name + ".table and .consumption-table.");
                }
            }
        });
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
