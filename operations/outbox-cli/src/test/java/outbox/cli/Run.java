package outbox.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/** A command run in this JVM. */
record Run(int code, String out, String err) {
    static Run of(String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = OutboxCli.run(args, new PrintWriter(out), new PrintWriter(err));
        return new Run(code, out.toString(), err.toString());
    }

    String all() {
        return out + err;
    }
}
