package outbox.xxljob.admin;

/** The generations of the admin's HTTP API. */
public enum AdminApi {
    /** Found by the login: the routes of 3.3 if the admin has them, else those of the versions before. */
    AUTO,
    /** Up to 3.2: forms behind {@code /login}. */
    UP_TO_3_2,
    /** From 3.3: forms behind {@code /auth/doLogin}. */
    FROM_3_3,
    /**
     * From 3.5: jobs are added, removed, started, stopped and triggered as JSON below {@code /api}, with the access token.
     * That API has no route that lists jobs or creates groups: these are the forms of 3.3.
     */
    FROM_3_5
}
