package outbox.spring.boot;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import outbox.domain.jackson.Jackson2PayloadSerializer;
import outbox.domain.jackson.Jackson3PayloadSerializer;
import outbox.domain.jackson.PayloadSerializers;
import outbox.domain.type.PayloadSerializer;
import tools.jackson.databind.json.JsonMapper;

/** JSON with the application's own Jackson 2 or 3 mapper; otherwise with a default mapper. */
final class PayloadSerializerConfiguration {
    private PayloadSerializerConfiguration() {}

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(JsonMapper.class)
    @ConditionalOnSingleCandidate(JsonMapper.class)
    static class Jackson3 {
        @Bean
        @ConditionalOnMissingBean
        PayloadSerializer outboxPayloadSerializer(JsonMapper mapper) {
            return new Jackson3PayloadSerializer(mapper);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ObjectMapper.class)
    @ConditionalOnSingleCandidate(ObjectMapper.class)
    static class Jackson2 {
        @Bean
        @ConditionalOnMissingBean
        PayloadSerializer outboxPayloadSerializer(ObjectMapper mapper) {
            return new Jackson2PayloadSerializer(mapper);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Detected {
        @Bean
        @ConditionalOnMissingBean
        PayloadSerializer outboxPayloadSerializer() {
            return PayloadSerializers.detect();
        }
    }
}
