package outbox.spring.boot;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.util.ClassUtils;
import outbox.control.source.Application;
import outbox.control.source.XxlJobs;
import outbox.xxljob.admin.XxlJobAdmin;

/** The XXL-Job jobs of an outbox on the control center's page, if an admin is configured. */
final class ControlCenterJobs {
    private static final boolean PRESENT =
            ClassUtils.isPresent("outbox.xxljob.admin.XxlJobAdmin", ControlCenterJobs.class.getClassLoader());

    private ControlCenterJobs() {}

    static Application with(Application application, OutboxUnit unit, ListableBeanFactory beans) {
        return PRESENT ? Admin.with(application, unit, beans) : application;
    }

    /** Only loaded with outbox-xxl-job on the class path. */
    private static final class Admin {
        static Application with(Application application, OutboxUnit unit, ListableBeanFactory beans) {
            XxlJobAdmin admin = beans.getBeanProvider(XxlJobAdmin.class).getIfAvailable();
            return admin == null || !unit.parts().delivers()
                    ? application
                    : application.withJobs(XxlJobs.of(admin, OutboxJobRegistration.prefix(unit)));
        }
    }
}
