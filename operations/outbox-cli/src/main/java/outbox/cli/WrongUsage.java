package outbox.cli;

import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Describes a usage error without repeating values that may be secrets: values of unknown options, of options without a
 * value and of secret options, and unexpected arguments.
 */
final class WrongUsage {
    private static final String HIDDEN = "…";
    private static final Pattern OPTION_NAME = Pattern.compile("--[a-z]+(-[a-z]+)*");

    private WrongUsage() {}

    static String message(ParameterException e, String[] args) {
        String message = String.valueOf(e.getMessage());
        for (String secret : suspects(e, args)) {
            message = message.replace(secret, HIDDEN);
        }
        return message;
    }

    private static Set<String> suspects(ParameterException e, String[] args) {
        Set<String> suspects = new LinkedHashSet<>();
        CommandLine command = e.getCommandLine();
        if (e instanceof UnmatchedArgumentException unmatched
                && command.getSubcommands().isEmpty()) {
            unmatched.getUnmatched().stream()
                    .filter(argument -> !argument.startsWith("-"))
                    .forEach(suspects::add);
        }
        for (int i = 0; i < args.length; i++) {
            if (!args[i].startsWith("-")) {
                continue;
            }
            int equals = args[i].indexOf('=');
            String name = equals < 0 ? args[i] : args[i].substring(0, equals);
            OptionSpec option = option(command.getCommandSpec(), name);
            if (option != null && option.arity().max() > 0 && !isAboutSecrets(name)) {
                continue;
            }
            if (equals >= 0) {
                suspects.add(args[i].substring(equals + 1));
            } else if (i + 1 < args.length && !args[i + 1].startsWith("-")) {
                suspects.add(args[i + 1]);
            }
            if (option == null && !OPTION_NAME.matcher(name).matches()) {
                suspects.add(name);
            }
        }
        suspects.remove("");
        return suspects;
    }

    private static @Nullable OptionSpec option(CommandSpec command, String name) {
        for (CommandSpec at = command; at != null; at = at.parent()) {
            OptionSpec found = at.findOption(name);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private static boolean isAboutSecrets(String option) {
        String name = option.toLowerCase(Locale.ROOT);
        return name.contains("password") || name.contains("token") || name.contains("secret");
    }
}
