package outbox.webhook;

import java.net.InetAddress;

/**
 * A block of addresses, as in {@code 10.0.0.0/8} or {@code fd00::/8}.
 *
 * @param network the block's first address
 * @param prefix how many leading bits an address shares with it
 */
record Cidr(InetAddress network, int prefix) {
    /** @throws IllegalArgumentException if the text is not a block, or has bits set after its prefix */
    static Cidr parse(String text) {
        int slash = text.indexOf('/');
        String address = slash < 0 ? text : text.substring(0, slash);
        InetAddress network = HostName.literal(address.indexOf(':') >= 0 ? "[" + address + "]" : address);
        if (network == null) {
            throw new IllegalArgumentException("not an address block such as 10.0.0.0/8 or fd00::/8: " + text);
        }
        int bits = network.getAddress().length * 8;
        int prefix = slash < 0 ? bits : prefix(text.substring(slash + 1), bits, text);
        Cidr cidr = new Cidr(network, prefix);
        if (!cidr.isFirstAddress()) {
            throw new IllegalArgumentException("address block " + text + " has bits set after its prefix");
        }
        return cidr;
    }

    private static int prefix(String digits, int bits, String text) {
        if (!digits.matches("[0-9]{1,3}") || Integer.parseInt(digits) > bits) {
            throw new IllegalArgumentException("the prefix of address block " + text + " must be 0 to " + bits);
        }
        return Integer.parseInt(digits);
    }

    boolean contains(InetAddress address) {
        return sharesPrefix(address.getAddress(), network.getAddress(), prefix);
    }

    private static boolean sharesPrefix(byte[] a, byte[] b, int prefix) {
        if (a.length != b.length) {
            return false;
        }
        for (int bit = 0; bit < prefix; bit += 8) {
            int mask = prefix - bit >= 8 ? 0xff : 0xff << (8 - (prefix - bit));
            if (((a[bit / 8] ^ b[bit / 8]) & mask) != 0) {
                return false;
            }
        }
        return true;
    }

    private boolean isFirstAddress() {
        byte[] bytes = network.getAddress();
        for (int bit = prefix; bit < bytes.length * 8; bit++) {
            if ((bytes[bit / 8] & (0x80 >> (bit % 8))) != 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return network.getHostAddress() + "/" + prefix;
    }
}
