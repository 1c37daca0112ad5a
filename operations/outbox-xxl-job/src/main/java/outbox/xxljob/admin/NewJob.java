package outbox.xxljob.admin;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** A job to be added, run in bean mode at a fixed rate of whole seconds. */
public record NewJob(String handler, String description, String author, Duration interval) {
    /** @throws IllegalArgumentException if the interval is not a positive number of whole seconds */
    public NewJob {
        if (interval.toSeconds() < 1 || !interval.equals(Duration.ofSeconds(interval.toSeconds()))) {
            throw new IllegalArgumentException(
                    "the interval of job " + handler + " must be one or more whole seconds, not " + interval);
        }
    }

    Map<String, String> fields(long group) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("jobGroup", String.valueOf(group));
        fields.put("jobDesc", description);
        fields.put("author", author);
        fields.put("scheduleType", "FIX_RATE");
        fields.put("scheduleConf", String.valueOf(interval.toSeconds()));
        fields.put("misfireStrategy", "DO_NOTHING");
        fields.put("executorRouteStrategy", "ROUND");
        fields.put("executorHandler", handler);
        fields.put("executorParam", "");
        fields.put("executorBlockStrategy", "SERIAL_EXECUTION");
        fields.put("executorTimeout", "0");
        fields.put("executorFailRetryCount", "0");
        fields.put("glueType", "BEAN");
        return fields;
    }
}
