package outbox.spring.boot.idempotent;

import java.nio.file.Files;
import java.nio.file.Path;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** {@link MvcShop} in a process of its own, which a booking of a {@link MvcShop#DEADLY} item kills. */
final class DyingShop {
    private DyingShop() {}

    /** @param arguments the file to write the port to, then settings */
    public static void main(String[] arguments) throws Exception {
        ConfigurableApplicationContext context = new SpringApplicationBuilder(MvcShop.class)
                .web(WebApplicationType.SERVLET)
                .run(arguments);
        Path port = Path.of(context.getEnvironment().getRequiredProperty("port.file"));
        Path written = Files.writeString(
                port.resolveSibling(port.getFileName() + ".new"),
                context.getEnvironment().getRequiredProperty("local.server.port"));
        Files.move(written, port);
    }
}
