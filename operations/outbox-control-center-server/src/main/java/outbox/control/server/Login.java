package outbox.control.server;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AuthenticationProvider;
import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.LockedException;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.stereotype.Component;
import outbox.control.ControlCenter;
import outbox.control.access.Accounts;
import outbox.control.access.LoginThrottle;
import outbox.control.audit.AuditLog;

/** Checks name and password, slows down guessing, and records success and failure in the audit log. */
@Component
class Login implements AuthenticationProvider {
    private final Accounts accounts;
    private final LoginThrottle throttle;
    private final AuditLog audit;

    Login(Accounts accounts, LoginThrottle throttle, ControlCenter center) {
        this.accounts = accounts;
        this.throttle = throttle;
        this.audit = center.audit();
    }

    @Override
    public @Nullable Authentication authenticate(Authentication given) {
        if (!(given.getDetails() instanceof KnownDevices.Details details)) {
            throw new AuthenticationServiceException("a login without the details of its request");
        }
        String name = Accounts.canonical(given.getName());
        LoginThrottle.Client client = details.client();
        Duration wait = throttle.attempt(client);
        if (!wait.isZero()) {
            throw new LockedException("too many failed attempts; try again in " + (wait.toSeconds() + 1) + " s");
        }
        try {
            Accounts.LoggedIn who = accounts.logIn(name, String.valueOf(given.getCredentials()));
            audit.add(new AuditLog.Note(
                    name, details.getRemoteAddress(), "login", null, null, who == null ? "denied" : "ok", null));
            if (who == null) {
                throw new BadCredentialsException("wrong name or password");
            }
            throttle.succeeded(client);
            return authentication(who);
        } catch (SQLException e) {
            throttle.withdrawn(client);
            throw new AuthenticationServiceException("the control center's database is unreachable", e);
        } catch (IllegalStateException e) {
            throttle.withdrawn(client);
            throw new AuthenticationServiceException(String.valueOf(e.getMessage()), e);
        }
    }

    /** What the session of this user holds. */
    static Authentication authentication(Accounts.LoggedIn user) {
        return UsernamePasswordAuthenticationToken.authenticated(
                new Person(user.operator().name(), user.stamp()), null, List.of());
    }

    @Override
    public boolean supports(Class<?> authentication) {
        return UsernamePasswordAuthenticationToken.class.isAssignableFrom(authentication);
    }
}
