package outbox.spring.boot.module;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Where an application may have its connection to a server, in the order in which they count: a bean of the library for
 * it, which Spring Boot makes of everything else; connection details, as of a container; properties.
 *
 * <p>Types are named, because the application may not have them, and those of connection details moved in Boot 4. Code
 * that uses such a type is in a class of its own, which is loaded only if a bean of the type is there.
 *
 * @param <S> the server
 * @param <D> what connection details say
 */
final class ConnectionSources<S, D> {
    private final ConfigurableListableBeanFactory beans;
    private final List<Source<ApplicationConnection<S>>> libraries = new ArrayList<>();
    private final List<Source<D>> details = new ArrayList<>();

    ConnectionSources(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    private record Source<T>(String type, Supplier<T> value) {}

    /** @param type of a bean that connects by itself */
    ConnectionSources<S, D> library(String type, Supplier<ApplicationConnection<S>> connection) {
        libraries.add(new Source<>(type, connection));
        return this;
    }

    /** @param type of connection details, in one line of Spring Boot */
    ConnectionSources<S, D> details(String type, Supplier<D> said) {
        details.add(new Source<>(type, said));
        return this;
    }

    /** @param properties what counts without a library, given connection details if there are any */
    ApplicationConnection<S> or(Function<@Nullable D, ApplicationConnection<S>> properties) {
        ApplicationConnection<S> connection = first(libraries);
        return connection == null ? properties.apply(first(details)) : connection;
    }

    private <T> @Nullable T first(List<Source<T>> sources) {
        for (Source<T> source : sources) {
            if (exists(source.type())) {
                return source.value().get();
            }
        }
        return null;
    }

    private boolean exists(String type) {
        ClassLoader loader = beans.getBeanClassLoader();
        return ClassUtils.isPresent(type, loader)
                && beans.getBeanNamesForType(ClassUtils.resolveClassName(type, loader), true, false).length > 0;
    }
}
