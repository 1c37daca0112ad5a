package outbox.spring.boot.module;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import outbox.WriterHook;
import outbox.contracts.ContractCheck;
import outbox.contracts.EventContracts;
import outbox.spring.boot.OutboxAutoConfiguration;
import outbox.spring.boot.module.ContractsProperties.OnViolation;
import outbox.spring.boot.properties.RefusedSettingsException;

/** Checks events against their contracts, if {@code outbox-contracts} is present. */
@AutoConfiguration(before = OutboxAutoConfiguration.class)
@ConditionalOnClass(ContractCheck.class)
@ConditionalOnProperty(
        name = {"outbox.enabled", "outbox.contracts.enabled"},
        matchIfMissing = true)
@EnableConfigurationProperties(ContractsProperties.class)
public class ContractsAutoConfiguration {
    /** Read with Spring, which also finds files inside an application jar. */
    @Bean
    @ConditionalOnMissingBean
    EventContracts outboxEventContracts(ContractsProperties properties, ResourceLoader loader) {
        String location = properties.getLocation();
        String directory = location.replaceFirst("^classpath:", "classpath*:").replaceFirst("/*$", "/");
        EventContracts.Builder contracts = EventContracts.builder();
        try {
            Resource[] files = new PathMatchingResourcePatternResolver(loader).getResources(directory + "*.json");
            if (files.length == 0) {
                throw new RefusedSettingsException(
                        "there is no contract in " + location,
                        "Put"
                                + " <event type>.v<version>.json there, set another location with outbox.contracts.location, or"
                                + " set outbox.contracts.enabled=false.");
            }
            for (Resource file : files) {
                try (InputStream in = file.getInputStream()) {
                    contracts.addFile(
                            String.valueOf(file.getFilename()), new String(in.readAllBytes(), StandardCharsets.UTF_8));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("contracts in " + location + " cannot be read", e);
        }
        return contracts.build();
    }

    @Bean
    @Order(Ordered.LOWEST_PRECEDENCE) // runs after other hooks
    WriterHook outboxContractCheck(EventContracts contracts, ContractsProperties properties) {
        ContractCheck check = properties.getOnViolation() == OnViolation.WARN
                ? ContractCheck.warning(contracts)
                : ContractCheck.rejecting(contracts);
        return properties.isRefuseUnknown() ? check.refusingUnknown() : check;
    }
}
