package io.numaledger.cli;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.PrintWriter;
import java.io.StringWriter;

import static org.assertj.core.api.Assertions.assertThat;

class WrongArgumentsTest {

    private enum Order {
        cpu,
        memory
    }

    /** A converter that says what is wrong, but not in picocli's own way. */
    private static int even(String text) {
        int number = Integer.parseInt(text);
        if (number % 2 != 0) {
            throw new IllegalArgumentException("'%s' is odd".formatted(text));
        }
        return number;
    }

    @Command(name = "program", subcommands = Show.class)
    private static final class Program {}

    @Command(name = "show", mixinStandardHelpOptions = true)
    private static final class Show implements Runnable {
        @Option(names = "--dump", paramLabel = "FILE")
        private String dump = "";

        @Option(names = "--sort-by", paramLabel = "ORDER")
        private Order order = Order.cpu;

        @Option(names = "--pairs", paramLabel = "N")
        private Integer pairs = 0;

        @Override
        public void run() {
            throw new AssertionError(dump + order + pairs);
        }
    }

    @ParameterizedTest(name = "{1}")
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            sohw             | unknown command: sohw; did you mean show?                 | program
            ""               | no command given; there are show                          | program
            nothing          | unknown command: nothing                                  | program
            show --dmup=x    | unknown option: --dmup; did you mean --dump?              | program show
            show --dump      | missing required parameter for option '--dump' (FILE)     | program show
            show all         | unexpected argument: all                                  | program show
            show --sort-by=memroy | invalid value for option '--sort-by': expected one of [cpu, memory] (case-sensitive) but was 'memroy'; did you mean memory? | program show
            show --pairs=3   | invalid value for option '--pairs': '3' is odd       | program show
            """)
    void saysWhatIsWrongInOneLineAndWhereHelpIs(String arguments, String sentence, String help) {
        StringWriter err = new StringWriter();
        CommandLine line = new CommandLine(new Program())
                .registerConverter(Integer.class, WrongArgumentsTest::even)
                .setErr(new PrintWriter(err))
                .setParameterExceptionHandler(WrongArguments::print);

        int status = line.execute(arguments.isEmpty() ? new String[0] : arguments.split(" "));

        assertThat(status).isEqualTo(2);
        assertThat(err).hasToString("%s\nsee %s --help\n".formatted(sentence, help));
    }
}
