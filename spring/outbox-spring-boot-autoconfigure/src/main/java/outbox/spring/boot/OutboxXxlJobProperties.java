package outbox.spring.boot;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import outbox.xxljob.admin.AdminApi;
import outbox.xxljob.admin.JobRegistration;

/** Properties of {@code outbox.xxl-job.*}: an executor for applications that have none, and the
 * registration of the jobs at the admin. */
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

    /** User of the admin who may manage the executor group. If not set, jobs are not registered at the admin. */
    private @Nullable String username;

    /** Password of this user. If not set, an empty one is sent. */
    private @Nullable String password;

    /** Generation of the admin's API. AUTO tells 3.3 from the versions before; set FROM_3_5 for the JSON API. */
    private AdminApi adminApi = AdminApi.AUTO;

    /** Whether to register the executor group and the jobs at the admin, if a username is set. */
    private boolean register = true;

    /** Author of registered jobs. */
    private String author = "outbox";

    /** Title of a registered executor group. Default: the name of the executor. */
    private @Nullable String title;

    /** How often the registered recover job runs, in whole seconds. */
    private Duration recoverInterval = JobRegistration.DEFAULT_RECOVER_INTERVAL;

    /** How often the registered failed-event warning job runs, in whole seconds. */
    private Duration warnInterval = JobRegistration.DEFAULT_WARN_INTERVAL;

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

    public @Nullable String getUsername() {
        return username;
    }

    public void setUsername(@Nullable String username) {
        this.username = username;
    }

    public @Nullable String getPassword() {
        return password;
    }

    public void setPassword(@Nullable String password) {
        this.password = password;
    }

    public AdminApi getAdminApi() {
        return adminApi;
    }

    public void setAdminApi(AdminApi adminApi) {
        this.adminApi = adminApi;
    }

    public boolean isRegister() {
        return register;
    }

    public void setRegister(boolean register) {
        this.register = register;
    }

    public String getAuthor() {
        return author;
    }

    public void setAuthor(String author) {
        this.author = author;
    }

    public @Nullable String getTitle() {
        return title;
    }

    public void setTitle(@Nullable String title) {
        this.title = title;
    }

    public Duration getRecoverInterval() {
        return recoverInterval;
    }

    public void setRecoverInterval(Duration recoverInterval) {
        this.recoverInterval = recoverInterval;
    }

    public Duration getWarnInterval() {
        return warnInterval;
    }

    public void setWarnInterval(Duration warnInterval) {
        this.warnInterval = warnInterval;
    }
}
