package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

/** What Maven Central wants of poms, before {@code verification/release-dry-run} checks the files themselves. */
class ReleaseTest {
    private static final Path ROOT =
            Path.of(System.getProperty("basedir", ".")).resolve("../..").normalize();
    private static final XPath XPATH = XPathFactory.newInstance().newXPath();
    private static final List<String> INHERITED =
            List.of("url", "licenses/license/url", "developers/developer/name", "scm/connection", "scm/url");

    private static Document pom(String directory) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(ROOT.resolve(directory).resolve("pom.xml").toFile());
    }

    private static String text(Document pom, String path) throws Exception {
        return XPATH.evaluate("/project/" + path, pom).strip();
    }

    private static List<String> published() throws Exception {
        List<String> modules = new ArrayList<>();
        Document parent = pom("");
        int count = parent.getElementsByTagName("module").getLength();
        for (int i = 0; i < count; i++) {
            String module = parent.getElementsByTagName("module").item(i).getTextContent();
            if (!module.matches("(samples|docs|verification)/.*")) {
                modules.add(module);
            }
        }
        return modules;
    }

    @Test
    void parentAndBomHaveWhatTheirUsersInherit() throws Exception {
        for (String directory : List.of("", "bom")) {
            for (String element : INHERITED) {
                assertThat(text(pom(directory), element))
                        .as("%s in %s/pom.xml", element, directory)
                        .isNotBlank()
                        .isEqualTo(text(pom(""), element));
            }
        }
    }

    @Test
    void everyPublishedModuleHasANameADescriptionAndAVersionInTheBom() throws Exception {
        String bom = Files.readString(ROOT.resolve("bom/pom.xml"));
        assertThat(published()).hasSizeGreaterThan(20);
        for (String module : published()) {
            Document pom = pom(module);
            assertThat(text(pom, "name")).as(module).isNotBlank();
            assertThat(text(pom, "description")).as(module).isNotBlank();
            if (!module.equals("bom")) {
                assertThat(text(pom, "parent/artifactId")).as(module).isEqualTo("outbox-parent");
            }
            boolean program = module.endsWith("-server") || module.endsWith("-cli"); // nobody depends on them
            if (!module.equals("bom") && !program) {
                assertThat(bom).contains("<artifactId>" + text(pom, "artifactId") + "</artifactId>");
            }
        }
    }

    @Test
    void bothSignWithTheSamePlugin() throws Exception {
        String signing = "profiles/profile[id='release']/build/plugins/plugin[artifactId='maven-gpg-plugin']/version";
        assertThat(text(pom(""), signing)).isEqualTo("${gpg-plugin.version}");
        assertThat(text(pom("bom"), signing)).isEqualTo(text(pom(""), "properties/gpg-plugin.version"));
    }
}
