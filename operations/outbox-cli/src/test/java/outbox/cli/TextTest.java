package outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Help.Ansi;

class TextTest {
    private static String print(TextTable table, Ansi ansi, int width) {
        StringWriter out = new StringWriter();
        table.print(new PrintWriter(out, true), ansi, width);
        return out.toString().replace(System.lineSeparator(), "\n");
    }

    @Test
    void cellsStandUnderEachOtherAlsoInChinese() {
        TextTable table = new TextTable("ID", "TYPE", "ERROR");
        table.add("1", "订单已创建", "down");
        table.add("22", "OrderPlaced", null);
        assertThat(print(table, Ansi.OFF, 0)).isEqualTo("""
                ID  TYPE         ERROR
                1   订单已创建   down
                22  OrderPlaced
                """);
    }

    @Test
    void theLastCellIsCutToTheWidthOfATerminal() {
        TextTable table = new TextTable("ID", "ERROR");
        table.add("1", "a message that is far too long for the line");
        assertThat(print(table, Ansi.OFF, 30).lines().skip(1).findFirst()).hasValue("1   a message that is far too…");
        assertThat(print(table, Ansi.OFF, 0)).contains("far too long for the line");
    }

    @Test
    void coloursAreForTerminals() {
        TextTable table = new TextTable("ID");
        assertThat(print(table, Ansi.OFF, 0)).doesNotContain("\u001B");
        assertThat(print(table, Ansi.ON, 0)).contains("\u001B[1m");
    }

    @Test
    void whatComesFromOutsideCanNotCommandTheTerminal() {
        assertThat(Printable.line("a\u001B[2Jb\r\nc\u202Ed\u0007")).isEqualTo("a\uFFFD[2Jb  c\uFFFDd\uFFFD");
        assertThat(Printable.text("a\nb\u001B")).isEqualTo("a\nb\uFFFD");
        TextTable table = new TextTable("TYPE");
        table.add("@|red x|@ \u001B]0;owned\u0007");
        assertThat(print(table, Ansi.ON, 0)).contains("@|red x|@ \uFFFD]0;owned\uFFFD");
    }

    @Test
    void progressIsABarWithFigures() {
        assertThat(Progress.line(
                        Screen.JSON.readTree("{\"total\":500,\"succeeded\":168,\"refused\":2,\"state\":\"running\"}")))
                .isEqualTo("[##########····················] 34 %  170/500, 2 refused, running");
        assertThat(Progress.line(Screen.JSON.readTree("{\"total\":0,\"state\":\"collecting\"}")))
                .isEqualTo("[" + "·".repeat(30) + "] 0 %  0/0, collecting");
    }
}
