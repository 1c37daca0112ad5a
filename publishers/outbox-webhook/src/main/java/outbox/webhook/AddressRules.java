package outbox.webhook;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The addresses that requests may connect to: public internet addresses and explicitly allowed blocks.
 *
 * <p>IPv4: all except the IANA special-purpose blocks. IPv6: only global unicast ({@code 2000::/3}) without its special
 * blocks; that excludes loopback, link-local, unique local, multicast, IPv4-compatible and -mapped addresses and NAT64
 * in one rule. Immutable.
 */
final class AddressRules {
    private static final List<Reserved> RESERVED = List.of(
            reserved("0.0.0.0/8", "unspecified"),
            reserved("10.0.0.0/8", "private"),
            reserved("100.64.0.0/10", "carrier-grade NAT"),
            reserved("127.0.0.0/8", "loopback"),
            reserved("169.254.0.0/16", "link-local"),
            reserved("172.16.0.0/12", "private"),
            reserved("192.0.0.0/24", "reserved for protocols"),
            reserved("192.0.2.0/24", "documentation"),
            reserved("192.88.99.0/24", "6to4 relay"),
            reserved("192.168.0.0/16", "private"),
            reserved("198.18.0.0/15", "benchmarking"),
            reserved("198.51.100.0/24", "documentation"),
            reserved("203.0.113.0/24", "documentation"),
            reserved("224.0.0.0/4", "multicast"),
            reserved("240.0.0.0/4", "reserved"),
            reserved("2001::/23", "reserved for protocols, Teredo among them"),
            reserved("2001:db8::/32", "documentation"),
            reserved("2002::/16", "6to4"),
            reserved("3fff::/20", "documentation"));

    private static final Cidr GLOBAL_UNICAST = Cidr.parse("2000::/3");

    private final List<Cidr> allowed;

    private record Reserved(Cidr block, String purpose) {}

    private static Reserved reserved(String block, String purpose) {
        return new Reserved(Cidr.parse(block), purpose);
    }

    /** @param allowed blocks that are exempt from the rules */
    AddressRules(List<Cidr> allowed) {
        this.allowed = List.copyOf(allowed);
    }

    /** @return why the address is blocked; {@code null} if it is allowed */
    @Nullable
    String objection(InetAddress address) {
        if (allowed.stream().anyMatch(block -> block.contains(address))) {
            return null;
        }
        for (Reserved reserved : RESERVED) {
            if (reserved.block().contains(address)) {
                return reserved.purpose();
            }
        }
        if (address instanceof Inet4Address) {
            return null;
        }
        if (!GLOBAL_UNICAST.contains(address)) {
            return "not global unicast";
        }
        InetAddress inside = isatap(address.getAddress());
        return inside == null ? null : objection(inside);
    }

    /** The IPv4 address embedded after {@code 0:5efe} in an ISATAP address. */
    private static @Nullable InetAddress isatap(byte[] address) {
        boolean marked =
                (address[8] & 0xfd) == 0 && address[9] == 0 && address[10] == 0x5e && (address[11] & 0xff) == 0xfe;
        if (!marked) {
            return null;
        }
        try {
            return InetAddress.getByAddress(Arrays.copyOfRange(address, 12, 16));
        } catch (UnknownHostException e) {
            throw new AssertionError("four bytes are an address", e);
        }
    }
}
