package outbox.spring.boot;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;
import outbox.domain.handler.EventHandler;
import outbox.domain.handler.EventHandlers;
import outbox.domain.handler.EventHandlersBuilder;
import outbox.domain.handler.HandlerMark;
import outbox.spring.boot.properties.RefusedSettingsException;

/** Finds beans with {@link EventHandler} methods, by type, without instantiating them early. */
final class HandlerBeans {
    private static final Logger LOG = System.getLogger(HandlerBeans.class.getName());

    private final ConfigurableListableBeanFactory beans;
    private final Collection<String> instances;
    private final HandlerMark<?> mark;

    /** @param instances names of the outboxes; a bean qualified with one belongs only to that one */
    HandlerBeans(ConfigurableListableBeanFactory beans, Collection<String> instances) {
        this(beans, instances, HandlerMark.EVENT_HANDLER);
    }

    /** @param mark of the methods */
    HandlerBeans(ConfigurableListableBeanFactory beans, Collection<String> instances, HandlerMark<?> mark) {
        this.beans = beans;
        this.instances = List.copyOf(instances);
        this.mark = mark;
    }

    private record HandlerBean(String name, Class<?> type) {}

    /** The types of beans with such methods, whatever they are qualified with. */
    List<Class<?>> types() {
        List<Class<?>> types = new ArrayList<>();
        find("").forEach(found -> types.add(found.type()));
        return types;
    }

    boolean existFor(String instance) {
        return !find(instance).isEmpty();
    }

    /** Finds handlers whose type was not known earlier. @throws RefusedSettingsException with the first one */
    void refuseLate(String instance) {
        for (HandlerBean late : find(instance)) {
            throw new RefusedSettingsException(
                    "bean '" + late.name() + "' has @EventHandler methods, and outbox '"
                            + instance
                            + "' was created without delivery: when it was created, it was not known that the bean is a "
                            + late.type().getName(),
                    "Declare that class as the return type of its @Bean method, or, if events should not be"
                            + " delivered here, set outbox.mode=writer-only.");
        }
    }

    void addTo(EventHandlersBuilder handlers, String instance) {
        for (HandlerBean found : find(instance)) {
            Object bean = beans.getBean(found.name());
            if (AopUtils.isAopProxy(bean)) {
                refuseWhatProxiesCanNotCall(found, bean);
            }
            handlers.scan(bean, found.type(), mark);
        }
    }

    private List<HandlerBean> find(String instance) {
        List<HandlerBean> found = new ArrayList<>();
        for (String name : BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, Object.class, true, false)) {
            if (ScopedProxyUtils.isScopedTarget(name)) {
                continue;
            }
            Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
            if (type != null && hasHandlers(type) && belongsTo(instance, name)) {
                refuseUnlessSingleton(name, type);
                found.add(new HandlerBean(name, ClassUtils.getUserClass(type)));
            }
        }
        return found;
    }

    /** Ignores library classes with references to missing classes, as Spring does. */
    private boolean hasHandlers(Class<?> type) {
        try {
            return EventHandlers.areIn(type, mark);
        } catch (NoClassDefFoundError e) {
            LOG.log(Level.DEBUG, "cannot scan for handlers in " + type.getName(), e);
            return false;
        }
    }

    /** Events have no request or session, so scoped beans could not be resolved. */
    private void refuseUnlessSingleton(String name, Class<?> type) {
        if (!beans.isSingleton(name)) {
            throw new RefusedSettingsException(
                    "bean '" + name + "' of " + type.getName() + " has " + mark
                            + " methods and is not a singleton, so it would never be called",
                    "Make it a singleton, or use a scoped proxy.");
        }
    }

    boolean belongsTo(String instance, String bean) {
        List<String> qualified = qualifiers(bean);
        return qualified.isEmpty() || qualified.contains(instance);
    }

    /** Whether the bean is qualified with that instance, and with no other. */
    boolean belongsOnlyTo(String instance, String bean) {
        return qualifiers(bean).equals(List.of(instance));
    }

    /** The instances that the bean is qualified with. */
    private List<String> qualifiers(String bean) {
        return instances.stream()
                .filter(name -> BeanFactoryAnnotationUtils.isQualifierMatch(name::equals, bean, beans))
                .toList();
    }

    /** A call would run on the proxy itself, whose fields are not initialized. */
    private void refuseWhatProxiesCanNotCall(HandlerBean bean, Object proxy) {
        MetadataLookup<Annotation> handlers =
                method -> AnnotatedElementUtils.findMergedAnnotation(method, mark.annotation());
        for (Method method :
                MethodIntrospector.selectMethods(bean.type(), handlers).keySet()) {
            String call = mark + " method " + method + " cannot be called: bean '" + bean.name() + "' is ";
            if (AopUtils.isJdkDynamicProxy(proxy)) {
                throw new RefusedSettingsException(
                        call + "an interface proxy", "Set spring.aop.proxy-target-class=true.");
            }
            if (Modifier.isPrivate(method.getModifiers()) || Modifier.isFinal(method.getModifiers())) {
                throw new RefusedSettingsException(
                        call + "a proxy, which cannot intercept private or final methods",
                        "Make the method package-private.");
            }
        }
    }
}
