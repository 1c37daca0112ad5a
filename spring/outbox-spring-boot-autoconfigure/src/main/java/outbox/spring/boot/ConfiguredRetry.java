package outbox.spring.boot;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;
import outbox.dispatch.RetryPolicy;
import outbox.domain.handler.RetryRule;
import outbox.listener.RetryPreset;
import outbox.spring.boot.properties.PropertyGroup;
import outbox.spring.boot.properties.RefusedSettingsException;
import outbox.spring.boot.properties.RetryProperties;

/** The retry schedule of all handlers that name no other. */
final class ConfiguredRetry {
    private ConfiguredRetry() {}

    static RetryRule of(UnitConfiguration unit) {
        RetryProperties retry = unit.properties().getRetry();
        RetryPreset preset = retry.getPreset();
        PropertyGroup group = unit.group("retry");
        RetryPolicy own = unit.own(RetryPolicy.class);
        if (own != null) {
            refuseDelays(own, group, unit.environment());
        }
        RetryRule rule;
        if (own != null) {
            rule = new RetryRule(own, preset.maxAttempts());
        } else if (retry.getBaseDelay() == null && retry.getMaxDelay() == null) {
            rule = RetryRule.of(preset);
        } else {
            rule = group.build(() -> RetryRule.exponential(
                    millis(retry.getBaseDelay(), preset.baseDelayMs()),
                    millis(retry.getMaxDelay(), preset.maxDelayMs()),
                    preset.maxAttempts()));
        }
        return retry.getMaxAttempts() == null
                ? rule
                : group.make("max-attempts", retry.getMaxAttempts(), rule::withMaxAttempts);
    }

    private static void refuseDelays(RetryPolicy own, PropertyGroup group, Environment environment) {
        for (String name : List.of("preset", "base-delay", "max-delay")) {
            String property = group.prefix() + "." + name;
            if (Binder.get(environment)
                    .bind(ConfigurationPropertyName.adapt(property, '.'), Bindable.of(String.class))
                    .isBound()) {
                throw new RefusedSettingsException(
                        "there is a RetryPolicy bean, " + own.getClass().getName() + ", and " + property + " is set",
                        "Remove one of them.");
            }
        }
    }

    private static long millis(@Nullable Duration duration, long otherwise) {
        return duration == null ? otherwise : duration.toMillis();
    }
}
