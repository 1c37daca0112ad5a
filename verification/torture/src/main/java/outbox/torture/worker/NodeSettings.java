package outbox.torture.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** How one node is to be; travels to its process as arguments. Immutable. */
public final class NodeSettings {
    private final Map<Setting, String> chosen;

    private NodeSettings(Map<Setting, String> chosen) {
        this.chosen = chosen;
    }

    public static NodeSettings usual() {
        return new NodeSettings(new EnumMap<>(Setting.class));
    }

    static NodeSettings parse(String[] arguments) {
        NodeSettings settings = usual();
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            settings = settings.with(Setting.valueOf(argument.substring(0, equals)), argument.substring(equals + 1));
        }
        return settings;
    }

    public NodeSettings with(Setting setting, Object value) {
        Map<Setting, String> more = new EnumMap<>(Setting.class);
        more.putAll(chosen);
        more.put(setting, value.toString());
        return new NodeSettings(more);
    }

    public List<String> toArguments() {
        List<String> arguments = new ArrayList<>();
        chosen.forEach((setting, value) -> arguments.add(setting + "=" + value));
        return arguments;
    }

    public String text(Setting setting) {
        return Objects.requireNonNullElse(chosen.get(setting), setting.usual());
    }

    public int number(Setting setting) {
        return Integer.parseInt(text(setting));
    }

    public boolean flag(Setting setting) {
        return Boolean.parseBoolean(text(setting));
    }

    public Duration millis(Setting setting) {
        return Duration.ofMillis(number(setting));
    }
}
