package outbox.spring.boot;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** Everything under {@code outbox.xxl-job.*}: an executor for an application that has none of its own. */
@ConfigurationProperties("outbox.xxl-job")
public class OutboxXxlJobProperties {
    /** Whether the jobs of the outbox are registered. */
    private boolean enabled = true;

    /** URLs of the admins, with commas between them, such as http://localhost:8080/xxl-job-admin. Without it there is no executor. */
    private @Nullable String adminAddresses;

    /** What admin and executor know each other by. Needed: without it anybody could run scripts in this process. */
    private @Nullable String accessToken;

    /** Name of the executor in the admin. Default: that of the application. */
    private @Nullable String appName;

    /** URL at which the admin reaches this executor, if it is another than http://ip:port. */
    private @Nullable String address;

    /** Address under which this executor is announced. Default: the first one found. */
    private @Nullable String ip;

    /** Port of this executor; 0 for the first free one from 9999. */
    private int port;

    /** Directory of the logs of jobs. */
    private String logPath = "logs/xxl-job";

    /** How many days these logs stay. */
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
