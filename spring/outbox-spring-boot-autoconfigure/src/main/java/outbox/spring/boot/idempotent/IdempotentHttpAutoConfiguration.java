package outbox.spring.boot.idempotent;

import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import outbox.idempotency.http.HttpAnswer;
import outbox.spring.boot.OutboxAutoConfiguration;

/** Lets controller methods with {@code @Idempotent} run once per key. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnProperty(prefix = "outbox.idempotency.http", name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(IdempotentHttpProperties.class)
@RegisterReflectionForBinding({HttpAnswer.class, IdempotentRequest.class})
public class IdempotentHttpAutoConfiguration {
    @Bean(destroyMethod = "close")
    IdempotentHttp outboxIdempotentHttp(
            ListableBeanFactory beans,
            IdempotentHttpProperties properties,
            ObjectProvider<MeterRegistry> registry,
            Environment environment) {
        String prefix = environment.getProperty("outbox.metrics.prefix", "outbox");
        return new IdempotentHttp(
                beans, properties, new IdempotentMetrics(registry.getIfAvailable(), prefix), environment);
    }

    /** On Spring MVC. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(DispatcherServlet.class)
    static class Mvc {
        @Bean
        IdempotentFilter outboxIdempotentFilter() {
            return new IdempotentFilter();
        }

        @Bean
        WebMvcConfigurer outboxIdempotentInterceptor(IdempotentHttp http, ListableBeanFactory beans) {
            return new WebMvcConfigurer() {
                @Override
                public void addInterceptors(InterceptorRegistry registry) {
                    // Innermost: it commits before others clean up, and runs after they have let the request pass.
                    registry.addInterceptor(new IdempotentInterceptor(http, beans))
                            .order(Ordered.LOWEST_PRECEDENCE);
                }
            };
        }

        @Bean
        SmartInitializingSingleton outboxIdempotentCheck(
                IdempotentHttp http, ObjectProvider<RequestMappingHandlerMapping> mappings) {
            return () -> mappings.forEach(mapping -> mapping.getHandlerMethods().forEach((info, method) -> {
                if (http.endpoints().check(method, info.getMethodsCondition().getMethods(), false)) {
                    http.open();
                }
            }));
        }
    }

    /** On WebFlux. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnClass(DispatcherHandler.class)
    static class WebFlux {
        @Bean
        IdempotentWebFilter outboxIdempotentFilter(
                IdempotentHttp http,
                ObjectProvider<org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerMapping>
                        mappings) {
            return new IdempotentWebFilter(http, mappings);
        }

        @Bean
        SmartInitializingSingleton outboxIdempotentCheck(
                IdempotentHttp http,
                ObjectProvider<org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerMapping>
                        mappings) {
            return () -> mappings.forEach(mapping -> mapping.getHandlerMethods().forEach((info, method) -> {
                if (http.endpoints().check(method, info.getMethodsCondition().getMethods(), true)) {
                    http.open();
                }
            }));
        }
    }
}
