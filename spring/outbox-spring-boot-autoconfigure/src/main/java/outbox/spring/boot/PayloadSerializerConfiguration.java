package outbox.spring.boot;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import outbox.domain.jackson.Jackson2PayloadSerializer;
import outbox.domain.jackson.Jackson3PayloadSerializer;
import outbox.domain.jackson.PayloadSerializers;
import outbox.domain.type.PayloadFormat;
import outbox.domain.type.PayloadSerializer;
import tools.jackson.databind.json.JsonMapper;

/** JSON with the application's own Jackson 2 or 3 mapper; otherwise with a default mapper. */
final class PayloadSerializerConfiguration {
    private PayloadSerializerConfiguration() {}

    private static PayloadSerializer with(ObjectProvider<PayloadFormat> formats, PayloadSerializer json) {
        PayloadFormat[] all = formats.orderedStream().toArray(PayloadFormat[]::new);
        return all.length == 0 ? json : json.with(all);
    }

    /** The serializer bean, which may be the application's own. */
    static PayloadSerializer of(ListableBeanFactory beans) {
        PayloadSerializer serializer = beans.getBean(PayloadSerializer.class);
        List<PayloadFormat> unused = beans.getBeanProvider(PayloadFormat.class)
                .orderedStream()
                .filter(format -> !serializer.formats().contains(format))
                .toList();
        if (!unused.isEmpty()) {
            throw new IllegalStateException(
                    "there are a PayloadSerializer bean of the application and PayloadFormat beans,"
                            + " which it does not use: " + unused
                            + "; return serializer.with(formats) from the bean method of the"
                            + " serializer");
        }
        return serializer;
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(JsonMapper.class)
    @ConditionalOnSingleCandidate(JsonMapper.class)
    static class Jackson3 {
        @Bean
        @ConditionalOnMissingBean
        PayloadSerializer outboxPayloadSerializer(JsonMapper mapper, ObjectProvider<PayloadFormat> formats) {
            return with(formats, new Jackson3PayloadSerializer(mapper));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ObjectMapper.class)
    @ConditionalOnSingleCandidate(ObjectMapper.class)
    static class Jackson2 {
        @Bean
        @ConditionalOnMissingBean
        PayloadSerializer outboxPayloadSerializer(ObjectMapper mapper, ObjectProvider<PayloadFormat> formats) {
            return with(formats, new Jackson2PayloadSerializer(mapper));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Detected {
        @Bean
        @ConditionalOnMissingBean
        PayloadSerializer outboxPayloadSerializer(ObjectProvider<PayloadFormat> formats) {
            return with(formats, PayloadSerializers.detect());
        }
    }
}
