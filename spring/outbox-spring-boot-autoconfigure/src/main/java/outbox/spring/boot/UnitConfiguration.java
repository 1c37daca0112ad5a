package outbox.spring.boot;

import io.micrometer.observation.ObservationRegistry;
import java.util.Arrays;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;
import outbox.dead.FailedEventAlert;
import outbox.domain.handler.EventRoute;
import outbox.spi.MetricsExporter;
import outbox.spring.boot.properties.OutboxProperties;
import outbox.spring.boot.properties.PropertyGroup;
import outbox.spring.boot.properties.RefusedSettingsException;

/** The properties and beans that one outbox is made of. */
record UnitConfiguration(
        ConfigurableListableBeanFactory beans,
        OutboxProperties properties,
        Environment environment,
        UnitSettings settings) {

    HandlerBeans handlerBeans() {
        return new HandlerBeans(beans, properties.getInstances().keySet());
    }

    /** The prefix of a group's properties, for messages. */
    PropertyGroup group(String name) {
        String own = settings.prefix() + "." + name;
        boolean isOwn = !settings.sole()
                && Binder.get(environment)
                        .bind(ConfigurationPropertyName.adapt(own, '.'), Bindable.mapOf(String.class, Object.class))
                        .isBound();
        return new PropertyGroup(isOwn ? own : "outbox." + name);
    }

    /** The application's bean of that type for this outbox; {@code null} if there is none. */
    <T> @Nullable T own(Class<T> type) {
        String name = nameOfOwn(type);
        return name == null ? null : beans.getBean(name, type);
    }

    /**
     * The same for a type whose beans serve one outbox each: with {@code outbox.instances}, a bean must be qualified.
     *
     * @param why outboxes cannot share it
     */
    <T> @Nullable T unshared(Class<T> type, String why) {
        String name = nameOfOwn(type);
        if (name == null) {
            return null;
        }
        if (!settings.sole() && !handlerBeans().belongsOnlyTo(settings.name(), name)) {
            throw new RefusedSettingsException(
                    type.getSimpleName() + " bean '" + name + "' is not qualified with the name of one instance, '"
                            + settings.name() + "', and outboxes cannot share it: " + why,
                    "Declare a bean for each instance that needs one, and qualify it: @Qualifier(\"" + settings.name()
                            + "\").");
        }
        return beans.getBean(name, type);
    }

    private @Nullable String nameOfOwn(Class<?> type) {
        List<String> all = Arrays.stream(beans.getBeanNamesForType(type))
                .filter(name -> handlerBeans().belongsTo(settings.name(), name))
                .toList();
        List<String> primary = all.stream().filter(this::isPrimary).toList();
        List<String> names = primary.isEmpty() ? all : primary;
        if (names.size() > 1) {
            throw new RefusedSettingsException(
                    "there are several beans of type " + type.getSimpleName() + ", " + names + ", and outbox '"
                            + settings.name() + "' can use only one",
                    "Make one of them @Primary, or qualify each with the name of an instance.");
        }
        return names.isEmpty() ? null : names.get(0);
    }

    private boolean isPrimary(String bean) {
        return beans.containsBeanDefinition(bean)
                && beans.getBeanDefinition(bean).isPrimary();
    }

    /** As for handlers: a bean qualified with the name of an instance belongs only to that one. */
    List<String> routeNames() {
        return Arrays.stream(beans.getBeanNamesForType(EventRoute.class, true, false))
                .filter(name -> handlerBeans().belongsTo(settings.name(), name))
                .toList();
    }

    @Nullable
    OutboxTracing tracing() {
        ObservationRegistry observations =
                beans.getBeanProvider(ObservationRegistry.class).getIfAvailable();
        return properties.getTracing().isEnabled() && observations != null
                ? new OutboxTracing(
                        observations,
                        OutboxConventionChoice.of(beans, properties.getTracing().getConvention()))
                : null;
    }

    boolean sendsAlerts() {
        return beans.getBeanNamesForType(FailedEventAlert.class).length > 0;
    }

    boolean virtualThreads() {
        return environment.getProperty("spring.threads.virtual.enabled", Boolean.class, false);
    }

    MetricsExporter around(DataSource dataSource, MetricsExporter metrics) {
        MetricsExporter outermost = metrics;
        for (MetricsAround around :
                beans.getBeanProvider(MetricsAround.class).orderedStream().toList()) {
            outermost = around.around(settings.name(), dataSource, outermost);
        }
        return outermost;
    }
}
