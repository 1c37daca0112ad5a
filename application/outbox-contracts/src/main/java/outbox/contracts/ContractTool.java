package outbox.contracts;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Contracts on the command line, for builds:
 *
 * <pre>
 * versions &lt;directory&gt;                       compares each version with the previous ones
 * releases &lt;released directory&gt; &lt;directory&gt;  compares released contracts with new ones
 * asyncapi &lt;directory&gt; &lt;file&gt; &lt;title&gt; &lt;version&gt;
 * </pre>
 *
 * Exits with 1 if there are breaking changes that are not accepted by {@value BreakingChange#ACCEPTED}, with 2 for
 * wrong usage or an invalid contract.
 */
public final class ContractTool {
    private static final String USAGE = """
            usage: versions <directory>
                   releases <released directory> <directory>
                   asyncapi <directory> <file> <title> <version>""";

    private ContractTool() {}

    public static void main(String[] args) {
        int code = run(args, System.out, System.err);
        if (code != 0) {
            System.exit(code);
        }
    }

    static int run(String[] args, PrintStream out, PrintStream err) {
        try {
            if (args.length == 2 && args[0].equals("versions")) {
                EventContracts contracts = EventContracts.fromDirectory(Path.of(args[1]));
                return report(ContractCompatibility.betweenVersions(contracts), contracts, out);
            }
            if (args.length == 3 && args[0].equals("releases")) {
                EventContracts next = EventContracts.fromDirectory(Path.of(args[2]));
                EventContracts released = EventContracts.fromDirectory(Path.of(args[1]));
                return report(ContractCompatibility.betweenReleases(released, next), next, out);
            }
            if (args.length == 5 && args[0].equals("asyncapi")) {
                EventContracts contracts = EventContracts.fromDirectory(Path.of(args[1]));
                Files.writeString(Path.of(args[2]), new AsyncApi(args[3], args[4]).export(contracts) + "\n");
                out.println(args[2] + ": " + contracts.all().size() + " contract(s)");
                return 0;
            }
            err.println(USAGE);
        } catch (InvalidContractException | IOException e) {
            err.println(e.getMessage());
        }
        return 2;
    }

    private static int report(List<BreakingChange> changes, EventContracts contracts, PrintStream out) {
        changes.forEach(out::println);
        long open = changes.stream().filter(change -> !change.isAccepted()).count();
        out.println(contracts.all().size() + " contract(s), " + open + " change(s) break readers"
                + (open == changes.size() ? "" : ", " + (changes.size() - open) + " accepted"));
        return open == 0 ? 0 : 1;
    }
}
