package outbox.spring.boot;

import java.lang.reflect.Method;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.generate.GenerationContext;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.aot.BeanRegistrationCode;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;
import outbox.domain.handler.EventHandler;

/** Handler methods are called by reflection, and their events are read from JSON: a native image must keep both. */
final class HandlerHints implements BeanRegistrationAotProcessor {
    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Class<?> type = ClassUtils.getUserClass(bean.getBeanClass());
        Set<Method> handlers = MethodIntrospector.selectMethods(
                type, (Method method) -> AnnotatedElementUtils.hasAnnotation(method, EventHandler.class));
        return handlers.isEmpty() ? null : new Contribution(handlers);
    }

    private record Contribution(Set<Method> handlers) implements BeanRegistrationAotContribution {
        @Override
        public void applyTo(GenerationContext context, BeanRegistrationCode code) {
            RuntimeHints hints = context.getRuntimeHints();
            BindingReflectionHintsRegistrar events = new BindingReflectionHintsRegistrar();
            for (Method handler : handlers) {
                hints.reflection().registerMethod(handler, ExecutableMode.INVOKE);
                events.registerReflectionHints(hints.reflection(), handler.getGenericParameterTypes());
            }
        }
    }
}
