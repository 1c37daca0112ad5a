package outbox.benchmark;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** The machine a run took place on, as it says of itself. */
public record Machine(int cores, String cpu, long memoryMegabytes, String system, String jdk, String heap) {

    public static Machine here() {
        OperatingSystemMXBean os = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        return new Machine(
                Runtime.getRuntime().availableProcessors(),
                cpuModel(),
                os.getTotalMemorySize() >> 20,
                System.getProperty("os.name") + " "
                        + System.getProperty("os.version").replaceFirst("^(\\d+\\.\\d+).*", "$1"),
                System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"),
                (Runtime.getRuntime().maxMemory() >> 20) + " MB");
    }

    private static String cpuModel() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/cpuinfo"))) {
                if (line.startsWith("model name")) {
                    return line.substring(line.indexOf(':') + 1).strip();
                }
            }
        } catch (IOException e) {
            return System.getProperty("os.arch");
        }
        return System.getProperty("os.arch");
    }
}
