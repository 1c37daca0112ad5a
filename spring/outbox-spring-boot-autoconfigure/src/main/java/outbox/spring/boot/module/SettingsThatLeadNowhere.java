package outbox.spring.boot.module;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.env.Environment;
import outbox.spring.boot.properties.RefusedSettingsException;

/** Rejects properties that would have no effect, so that misconfiguration is noticed at startup. */
final class SettingsThatLeadNowhere {
    /** Placeholders that Spring would replace with properties of the same name. */
    private static final Pattern SPRING_PLACEHOLDER =
            Pattern.compile("\\$\\{(aggregateType|aggregateId|eventType|tenantId)[}:]");

    private static final List<String> TEMPLATES =
            List.of("outbox.kafka.topic", "outbox.rabbitmq.exchange", "outbox.rabbitmq.routing-key");

    private static final List<Rule> RULES = List.of(
            new Rule(
                    "outbox.webhook",
                    environment -> isSet(environment, "outbox.webhook.endpoints"),
                    "there is no endpoint, so no event would be sent to a webhook",
                    "Set outbox.webhook.endpoints.<name>.url and .secrets, or remove the outbox.webhook.*"
                            + " properties."),
            new Rule(
                    "outbox.publish-guard",
                    environment -> isSet(environment, "outbox.publish-guard.enabled"),
                    "the guard is not enabled",
                    "Set outbox.publish-guard.enabled=true, or remove the outbox.publish-guard.* properties."),
            new Rule(
                    "outbox.redis",
                    environment -> "redis".equalsIgnoreCase(environment.getProperty("outbox.handlers.tracking"))
                            || environment.getProperty("outbox.publish-guard.enabled", Boolean.class, false),
                    "nothing uses Redis",
                    "Set outbox.handlers.tracking=redis or outbox.publish-guard.enabled=true, or remove the outbox.redis.*"
                            + " properties."),
            new Rule(
                    "outbox.cdc",
                    environment -> isSet(environment, "outbox.cdc.enabled"),
                    "the relay is not enabled, so no event would be read from the database's log",
                    "Set outbox.cdc.enabled=true (or false, if it is off on purpose), or remove the outbox.cdc.*"
                            + " properties."),
            needs("outbox.alerts.dingtalk", "webhook"),
            needs("outbox.alerts.feishu", "webhook"),
            needs("outbox.alerts.wecom", "webhook"),
            needs("outbox.alerts.webhook", "url"),
            needs("outbox.alerts.webhook", "secret"),
            needs("outbox.alerts.mail", "to"));

    private SettingsThatLeadNowhere() {}

    /**
     * @param complete whether everything the properties need is set
     * @param problem why they have no effect
     */
    private record Rule(String prefix, Predicate<Environment> complete, String problem, String action) {}

    /** @param name of the property without which the others of its group have no effect */
    private static Rule needs(String prefix, String name) {
        String required = prefix + "." + name;
        return new Rule(
                prefix,
                environment -> isSet(environment, required),
                required + " is not",
                "Set " + required + ", or remove the " + prefix + ".* properties.");
    }

    static void refuse(Environment environment) {
        for (Rule rule : RULES) {
            if (isSet(environment, rule.prefix()) && !rule.complete().test(environment)) {
                throw incomplete(environment, rule.prefix(), rule.problem(), rule.action());
            }
        }
        TEMPLATES.forEach(name -> refusePlaceholder(environment, name));
    }

    /** @param problem why nothing comes of the properties with that prefix */
    static RefusedSettingsException incomplete(Environment environment, String prefix, String problem, String action) {
        return new RefusedSettingsException(
                "the properties " + names(environment, prefix) + " are set, but " + problem, action);
    }

    /** @param name of a property, or of a group of them */
    private static boolean isSet(Environment environment, String name) {
        Binder binder = Binder.get(environment);
        return binder.bind(name, Bindable.listOf(String.class)).isBound()
                || binder.bind(name, Bindable.mapOf(String.class, Object.class)).isBound();
    }

    private static String names(Environment environment, String prefix) {
        Map<String, Object> properties = Binder.get(environment)
                .bind(prefix, Bindable.mapOf(String.class, Object.class))
                .orElseGet(Map::of);
        Set<String> names = new TreeSet<>();
        properties.forEach((name, value) -> add(names, prefix + "." + name, value));
        return String.join(", ", names);
    }

    private static void add(Set<String> names, String name, Object value) {
        if (value instanceof Map<?, ?> nested) {
            nested.forEach((key, deeper) -> add(names, name + "." + key, deeper));
        } else {
            names.add(name);
        }
    }

    /** Checks the raw value, before Spring resolves placeholders. */
    private static void refusePlaceholder(Environment environment, String name) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            ConfigurationProperty property = source.getConfigurationProperty(ConfigurationPropertyName.of(name));
            if (property != null) {
                Matcher matcher = SPRING_PLACEHOLDER.matcher(String.valueOf(property.getValue()));
                if (matcher.find()) {
                    throw new InvalidConfigurationPropertyValueException(
                            name,
                            property.getValue(),
                            "Spring replaces ${" + matcher.group(1) + "} by a property of that name before the outbox"
                                    + " sees it: write {" + matcher.group(1) + "} without the dollar sign");
                }
                return;
            }
        }
    }
}
