package outbox.control.server;

import jakarta.servlet.http.Cookie;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.Objects;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseCookie;
import org.springframework.security.web.authentication.WebAuthenticationDetails;
import outbox.control.access.Accounts;
import outbox.control.access.LoginThrottle;
import outbox.util.Ulid;

/**
 * Recognizes devices from which a user has logged in before, by a signed cookie for each user. Failed logins from
 * elsewhere do not lock them out. Thread-safe.
 */
final class KnownDevices {
    private static final String COOKIE = "OUTBOX_DEVICE_";
    private static final String ALGORITHM = "HmacSHA256";
    private static final Duration LIFE = Duration.ofDays(180);

    private final SecretKeySpec key;
    private final InstantSource clock;

    KnownDevices(byte[] key, InstantSource clock) {
        this.key = new SecretKeySpec(key, ALGORITHM);
        this.clock = clock;
    }

    /** The details of a login: who is throttled. */
    static final class Details extends WebAuthenticationDetails {
        private static final long serialVersionUID = 1L;

        private final transient LoginThrottle.@Nullable Client client;

        private Details(HttpServletRequest request, LoginThrottle.Client client) {
            super(request);
            this.client = client;
        }

        LoginThrottle.Client client() {
            return Objects.requireNonNull(client);
        }
    }

    Details details(HttpServletRequest request) {
        String account = Accounts.canonical(Objects.requireNonNullElse(request.getParameter("username"), ""));
        String device = device(request, account);
        return new Details(
                request,
                device == null
                        ? new LoginThrottle.Client.Unknown(account, request.getRemoteAddr())
                        : new LoginThrottle.Client.KnownDevice(account, device));
    }

    private @Nullable String device(HttpServletRequest request, String account) {
        String name = name(account);
        for (Cookie cookie : Objects.requireNonNullElse(request.getCookies(), new Cookie[0])) {
            String[] parts = cookie.getValue().split("\\.", -1);
            if (cookie.getName().equals(name)
                    && parts.length == 3
                    && parts[1].matches("\\d{1,12}")
                    && MessageDigest.isEqual(
                            mac("device", account, parts[0], parts[1]).getBytes(StandardCharsets.US_ASCII),
                            parts[2].getBytes(StandardCharsets.UTF_8))
                    && Long.parseLong(parts[1]) > clock.instant().getEpochSecond()) {
                return parts[0];
            }
        }
        return null;
    }

    /** For a user who has logged in. */
    ResponseCookie cookie(HttpServletRequest request, String account) {
        String known = device(request, account);
        String device = known == null ? Ulid.next() : known;
        String until = Long.toString(clock.instant().plus(LIFE).getEpochSecond());
        return ResponseCookie.from(name(account), device + "." + until + "." + mac("device", account, device, until))
                .path(request.getContextPath() + SecurityConfiguration.LOGIN)
                .maxAge(LIFE)
                .httpOnly(true)
                .secure(request.isSecure())
                .sameSite("Strict")
                .build();
    }

    /** Does not reveal the user. */
    private String name(String account) {
        return COOKIE + mac("name", account).substring(0, 12);
    }

    private String mac(String... parts) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            for (String part : parts) {
                mac.update((part.length() + ":" + part).getBytes(StandardCharsets.UTF_8));
            }
            return HexFormat.of().formatHex(mac.doFinal());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK has no " + ALGORITHM, e);
        }
    }
}
