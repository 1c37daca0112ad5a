package outbox.control.server;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;

/** The program. Settings are Spring Boot's, and those of {@link ServerProperties}. */
@SpringBootApplication
@EnableConfigurationProperties(ServerProperties.class)
public class ControlCenterServer {
    public static void main(String[] args) {
        SpringApplication.run(ControlCenterServer.class, args);
    }
}
