package outbox.control.alert;

import java.util.Arrays;
import java.util.Locale;

/** The kinds of alert channels. */
public enum ChannelKind {
    DINGTALK,
    FEISHU,
    WECOM,
    SLACK,
    WEBHOOK,
    MAIL;

    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @throws IllegalArgumentException for an unknown name */
    public static ChannelKind parse(String key) {
        return Arrays.stream(values())
                .filter(kind -> kind.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown kind of channel '" + key + "'; known are "
                        + Arrays.stream(values()).map(ChannelKind::key).toList()));
    }
}
