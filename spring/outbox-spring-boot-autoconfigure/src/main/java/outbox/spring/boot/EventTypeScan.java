package outbox.spring.boot;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.io.ResourceLoader;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;
import outbox.domain.EventName;

/** Finds application classes that are marked as events; names in rows are never used to load classes. */
final class EventTypeScan {
    private EventTypeScan() {}

    /** @param markers names of further annotations that mark a class as an event, beside {@link EventName} */
    static Set<Class<?>> in(Collection<String> packages, ResourceLoader resources, Collection<String> markers) {
        ClassPathScanningCandidateComponentProvider scanner = new ClassPathScanningCandidateComponentProvider(false) {
            @Override
            protected boolean isCandidateComponent(AnnotatedBeanDefinition definition) {
                return definition.getMetadata().isIndependent()
                        && definition.getMetadata().isConcrete();
            }
        };
        scanner.setResourceLoader(resources);
        scanner.addIncludeFilter(new AnnotationTypeFilter(EventName.class, false));
        scanner.addIncludeFilter((reader, factory) ->
                markers.stream().anyMatch(reader.getAnnotationMetadata().getAnnotations()::isPresent));
        Set<Class<?>> found = new LinkedHashSet<>();
        for (String name : packages) {
            for (BeanDefinition definition : scanner.findCandidateComponents(name)) {
                String className = definition.getBeanClassName();
                if (className != null) {
                    found.add(ClassUtils.resolveClassName(className, resources.getClassLoader()));
                }
            }
        }
        return found;
    }
}
