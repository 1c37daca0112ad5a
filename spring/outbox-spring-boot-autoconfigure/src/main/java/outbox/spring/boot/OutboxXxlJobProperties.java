package outbox.spring.boot;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** Properties of {@code outbox.xxl-job.*}: an executor for applications that have none. */
@ConfigurationProperties("outbox.xxl-job")
public class OutboxXxlJobProperties {
    /** Whether to register the jobs of the outbox with XXL-Job. */
    private boolean enabled = true;

    /**
     * Comma-separated URLs of the XXL-Job admins, for example http://localhost:8080/xxl-job-admin. If not set, there
     * is no executor.
     */
    private @Nullable String adminAddresses;

    /** Access token shared with the admin. Required: without it anyone could run scripts in this process. */
    private @Nullable String accessToken;

    /** Name of the executor in the admin. Default: spring.application.name. */
    private @Nullable String appName;

    /** URL at which the admin reaches this executor. Default: http://ip:port. */
    private @Nullable String address;

    /** IP address that this executor registers. Default: the first one found. */
    private @Nullable String ip;

    /** Port of this executor. 0 chooses the first free port from 9999. */
    private int port;

    /** Directory for the logs of jobs. */
    private String logPath = "logs/xxl-job";

    /** Number of days to keep these logs. */
    private int logRetentionDays = 30;

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public @Nullable String getAdminAddresses() {
        return adminAddresses;
    }

    public void setAdminAddresses(@Nullable String adminAddresses) {
        this.adminAddresses = adminAddresses;
    }

    public @Nullable String getAccessToken() {
        return accessToken;
    }

    public void setAccessToken(@Nullable String accessToken) {
        this.accessToken = accessToken;
    }

    public @Nullable String getAppName() {
        return appName;
    }

    public void setAppName(@Nullable String appName) {
        this.appName = appName;
    }

    public @Nullable String getAddress() {
        return address;
    }

    public void setAddress(@Nullable String address) {
        this.address = address;
    }

    public @Nullable String getIp() {
        return ip;
    }

    public void setIp(@Nullable String ip) {
        this.ip = ip;
    }

    public int getPort() {
        return port;
    }

    public void setPort(int port) {
        this.port = port;
    }

    public String getLogPath() {
        return logPath;
    }

    public void setLogPath(String logPath) {
        this.logPath = logPath;
    }

    public int getLogRetentionDays() {
        return logRetentionDays;
    }

    public void setLogRetentionDays(int logRetentionDays) {
        this.logRetentionDays = logRetentionDays;
    }
}
