package outbox.spi;

/** Lengths of texts in bytes of UTF-8, without making the bytes. */
final class Utf8 {
    private Utf8() {}

    static int length(String text) {
        return length(text, 0, text.length());
    }

    static int length(String text, int from, int to) {
        int bytes = to - from;
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            if (c >= 0x80) {
                bytes += c < 0x800 || Character.isSurrogate(c) ? 1 : 2; // a pair of surrogates is four bytes
            }
        }
        return bytes;
    }
}
