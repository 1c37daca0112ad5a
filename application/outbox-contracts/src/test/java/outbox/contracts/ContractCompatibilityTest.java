package outbox.contracts;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContractCompatibilityTest {
    private static List<String> changes(String old, String now) {
        EventContracts contracts =
                EventContracts.builder().add("e", 1, old).add("e", 2, now).build();
        return ContractCompatibility.betweenVersions(contracts).stream()
                .map(change -> change.path() + " " + change.change())
                .toList();
    }

    private static String object(String properties, String required) {
        return "{\"type\":\"object\",\"properties\":{" + properties + "},\"required\":[" + required + "]}";
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"type\":\"integer\"} | {\"type\":\"string\"} | was integer and may be string now",
                "{\"type\":\"integer\"} | {\"type\":\"number\"} | may be number now",
                "{\"type\":\"string\"} | {\"type\":[\"string\",\"null\"]} | may be null now",
                "{\"type\":\"string\"} | {} | may be anything now",
                "{\"enum\":[\"a\"]} | {\"enum\":[\"a\",\"b\"]} | may be [\"b\"] now",
                "{\"enum\":[\"a\"]} | {\"type\":\"string\"} | may have other values",
                "{\"const\":1} | {\"const\":2} | may be [2] now",
                "{\"minimum\":5} | {\"minimum\":4} | minimum was 5 and is 4",
                "{\"minimum\":5} | {\"type\":\"integer\"} | minimum was 5 and is gone",
                "{\"maximum\":5} | {\"maximum\":6} | maximum was 5 and is 6",
                "{\"maxLength\":5} | {\"maxLength\":50} | maxLength",
                "{\"minItems\":1} | {\"minItems\":0} | minItems",
                "{\"pattern\":\"a\"} | {\"pattern\":\"b\"} | pattern was \"a\" and is \"b\"",
                "{\"format\":\"date\"} | {\"type\":\"string\"} | format was \"date\" and is gone",
                "{\"uniqueItems\":true} | {\"minItems\":1} | unique",
                "{\"items\":{\"type\":\"string\"}} | {\"items\":{\"type\":\"integer\"}} | /[] was string",
                "{\"items\":{\"type\":\"string\"}} | {\"type\":\"array\"} | /[] anything is allowed",
                "{\"oneOf\":[{\"type\":\"string\"}]} | {\"oneOf\":[{\"type\":\"integer\"}]} | check manually",
                "{\"additionalProperties\":false} | {\"type\":\"object\"} | properties that are not listed",
            })
    void whatPromisesLessBreaksReaders(String old, String now, String change) {
        assertThat(changes(old, now)).singleElement().asString().contains(change);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"type\":\"number\"} | {\"type\":\"integer\"}",
                "{\"type\":[\"string\",\"null\"]} | {\"type\":\"string\"}",
                "{} | {\"type\":\"string\"}",
                "{\"enum\":[\"a\",\"b\"]} | {\"const\":\"a\"}",
                "{\"minimum\":5} | {\"minimum\":6}",
                "{\"maxLength\":5} | {\"maxLength\":4}",
                "{\"type\":\"string\"} | {\"type\":\"string\",\"pattern\":\"a\",\"format\":\"date\"}",
                "{\"type\":\"object\"} | {\"type\":\"object\",\"additionalProperties\":false}",
                "{\"anyOf\":[{\"type\":\"string\"}]} | {\"anyOf\":[{\"type\":\"string\"}],\"maxLength\":3}",
                "{\"$ref\":\"#/$defs/a\",\"maxLength\":5,\"$defs\":{\"a\":{\"minLength\":1}}} | {\"minLength\":1,\"maxLength\":5}",
                "{\"title\":\"a\",\"description\":\"b\"} | {\"title\":\"c\"}",
            })
    void whatPromisesMoreBreaksNobody(String old, String now) {
        assertThat(changes(old, now)).isEmpty();
    }

    @Test
    void propertiesAreToldByTheirPlace() {
        String old = object(
                "\"a\":{\"type\":\"string\"},\"b\":{},\"c\":{\"type\":\"object\",\"properties\":{\"d\":{\"type\":\"integer\"}},\"required\":[\"d\"]}",
                "\"a\",\"b\",\"c\"");
        assertThat(changes(
                        old,
                        object(
                                "\"a\":{\"type\":\"string\"},\"c\":{\"type\":\"object\",\"properties\":{\"d\":{\"type\":\"string\"}}}",
                                "\"c\"")))
                .containsExactly(
                        "/a was always there and may be missing now",
                        "/b was always there and is gone",
                        "/c/d was always there and may be missing now",
                        "/c/d was integer and may be string now");
        assertThat(changes(old, old)).isEmpty();
    }

    @Test
    void aNewPropertyBreaksOnlyThoseWhoWereToldThereAreNone() {
        String now = object("\"a\":{},\"b\":{}", "\"a\",\"b\"");
        assertThat(changes(object("\"a\":{}", "\"a\""), now)).isEmpty();
        String closed = "{\"properties\":{\"a\":{}},\"additionalProperties\":false}";
        assertThat(changes(closed, "{\"properties\":{\"a\":{},\"b\":{}},\"additionalProperties\":false}"))
                .containsExactly("/ has new properties [b], and no others were allowed");
    }

    @Test
    void anOptionalPropertyMayGo() {
        assertThat(changes(object("\"a\":{},\"b\":{}", "\"a\""), object("\"a\":{}", "\"a\"")))
                .isEmpty();
    }

    @Test
    void referencesAreFollowedAlsoInCircles() {
        String old = """
                {"$ref":"#/$defs/node","$defs":{"node":{"type":"object","required":["v"],
                  "properties":{"v":{"type":"integer"},"next":{"$ref":"#/$defs/node"}}}}}""";
        String now = old.replace("\"v\":{\"type\":\"integer\"}", "\"v\":{\"type\":\"string\"}");
        assertThat(changes(old, old)).isEmpty();
        assertThat(changes(old, now)).containsExactly("/v was integer and may be string now");
        String moved = """
                {"$ref":"#tree","$defs":{"n":{"$anchor":"tree","type":"object","required":["v"],
                  "properties":{"v":{"type":"integer"},"next":{"$ref":"#/$defs/n"}}}}}""";
        assertThat(changes(old, moved)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "`maxLength`:5 | `type`:`string` | `type`:`string` | maxLength was 5 and is gone",
                "`maxLength`:5 | `type`:`string` | `maxLength`:5 | may be anything",
                "`required`:[`x`] | `required`:[`y`] | `required`:[`x`] | /y was always there",
                "`required`:[`x`] | `required`:[`y`] | `required`:[`y`] | /x was always there",
                "`properties`:{`x`:{`type`:`string`}} | `properties`:{`y`:{`type`:`string`}} | `properties`:{`y`:{`type`:`integer`}} | /y was string",
                "`properties`:{`x`:{`type`:`string`}} | `properties`:{`y`:{`type`:`string`}} | `properties`:{`x`:{`type`:`integer`}} | /x was string",
            })
    void whatStandsBesideAReferenceCountsToo(String beside, String target, String now, String change) {
        String old = json("{`$ref`:`#/$defs/a%20b`," + beside + ",`$defs`:{`a b`:{" + target + "}}}");
        assertThat(changes(old, json("{" + now + "}")))
                .singleElement()
                .asString()
                .contains(change);
        assertThat(changes(old, old)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "`oneOf`:[{`$ref`:`#/$defs/card`}]",
                "`properties`:{`p`:{`anyOf`:[{`type`:`null`},{`$ref`:`#/$defs/wallet`}]}}",
                "`items`:[{`$ref`:`#/$defs/card`}],`$schema`:`https://json-schema.org/draft/2019-09/schema`",
                "`not`:{`properties`:{`title`:{`$ref`:`#/$defs/card`}}}",
                "`allOf`:[{`$dynamicRef`:`#pan`}]",
            })
    void whatACombinationRefersToCountsToo(String combination) {
        String old = json("{" + combination
                + ",`$defs`:{`wallet`:{`items`:{`$ref`:`#/$defs/card`}},`card`:{`$dynamicAnchor`:`pan`,`title`:`a`,"
                + "`properties`:{`of`:{`$ref`:`#/$defs/wallet`}},`required`:[`pan`]}}}");
        assertThat(changes(old, old.replace(json(",`required`:[`pan`]"), "")))
                .singleElement()
                .asString()
                .contains("check manually");
        assertThat(changes(old, old.replace(json("`title`:`a`"), json("`title`:`b`"))))
                .isEmpty();
        assertThat(changes(old, old.replace("wallet", "purse"))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "`items`:{`type`:`string`} | `prefixItems`:[{`type`:`integer`}] | /[] was string",
                "`items`:false | `prefixItems`:[{`type`:`integer`}] | /[] was never there",
                "`unevaluatedItems`:false | `prefixItems`:[{`type`:`integer`}] | /[] was never there",
                "`unevaluatedItems`:false | `contains`:{`type`:`integer`} | contains is new",
                "`additionalProperties`:false | `patternProperties`:{`^x`:{`type`:`string`}} | /^x was never there",
                "`additionalProperties`:{`type`:`string`} | `patternProperties`:{`^x`:{`type`:`null`}} | /^x was string",
                "`unevaluatedProperties`:false | `properties`:{`x`:{}} | new properties [x]",
                "`unevaluatedProperties`:{`type`:`string`} | `properties`:{`x`:{`type`:`null`}} | /x was string",
                "`unevaluatedProperties`:{`type`:`string`} | `additionalProperties`:{`type`:`null`} | /* was string",
                "`unevaluatedProperties`:false | `allOf`:[{`properties`:{`x`:{}}}] | allOf is new",
                "`contains`:{`type`:`string`} | `minContains`:0 | contains",
            })
    void whatIsAddedBesideAPromiseCanTakeItBack(String promise, String added, String change) {
        assertThat(changes(json("{" + promise + "}"), json("{" + promise + "," + added + "}")))
                .singleElement()
                .asString()
                .contains(change);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "`items`:{`type`:`number`} | `prefixItems`:[{`type`:`integer`}]",
                "`additionalProperties`:{`type`:`number`} | `patternProperties`:{`^x`:{`type`:`integer`}}",
                "`additionalProperties`:false | `properties`:{`x`:false}",
                "`unevaluatedProperties`:{`type`:`number`} | `properties`:{`x`:{`type`:`integer`}}",
                "`contains`:{`type`:`string`} | `minContains`:2",
            })
    void whatIsAddedWithinAPromiseKeepsIt(String promise, String added) {
        assertThat(changes(json("{" + promise + "}"), json("{" + promise + "," + added + "}")))
                .isEmpty();
    }

    @Test
    void whatWasForbiddenMustStayAway() {
        String old = json("{`properties`:{`x`:false},`items`:false}");
        assertThat(changes(old, json("{`properties`:{`x`:{`type`:`string`}},`items`:{}}")))
                .containsExactly("/x was never there and may be now", "/[] was never there and may be now");
        assertThat(changes(old, json("{`items`:false}"))).containsExactly("/x was never there and may be now");
        assertThat(changes(old, json("{`items`:false,`additionalProperties`:false}")))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "`maxLength`:9 | `maxLength`:5 | `maxLength`:9 | maxLength was 5 and is 9",
                "`minimum`:1 | `minimum`:5 | `minimum`:1 | minimum was 5 and is 1",
                "`type`:[`string`,`null`] | `type`:[`string`,`integer`] | `type`:[`string`,`null`] | was string and may be null",
                "`enum`:[1,2] | `enum`:[2,3] | `enum`:[2,3] | may be [3] now",
                "`pattern`:`a` | `pattern`:`b` | `pattern`:`b` | allOf changed",
                "`properties`:{`x`:{`maxLength`:9}} | `properties`:{`x`:{`maxLength`:5}} | `properties`:{`x`:{`maxLength`:9}} | /x maxLength was 5",
                "`properties`:{`x`:{`type`:`null`}} | `additionalProperties`:false | `properties`:{`x`:{`type`:`null`}},`additionalProperties`:false | /x was never there",
                "`maxLength`:9 | `$ref`:`#/$defs/c` | `maxLength`:9 | maxLength was 3",
            })
    void ofAReferenceAndWhatStandsBesideItTheTighterOneHolds(String beside, String target, String now, String change) {
        String old = json("{`$ref`:`#/$defs/a`," + beside + ",`$defs`:{`a`:{" + target + "},`c`:{`maxLength`:3}}}");
        assertThat(changes(old, json("{" + now + "}")))
                .singleElement()
                .asString()
                .contains(change);
        assertThat(changes(old, old)).isEmpty();
        String tighter = json("{" + now + "}");
        assertThat(changes(tighter, old)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "`maxProperties`:5",
                "`properties`:{`v`:{`minimum`:1}}",
                "`properties`:{`next`:{`minProperties`:1}}",
                "`properties`:{`next`:{`properties`:{`next`:{`minProperties`:1}}}}",
                "`oneOf`:[{`$ref`:`#/properties/next`,`minProperties`:1},{`type`:`null`}]",
            })
    void aCircleWithSomethingBesideTheReferenceComesToAnEnd(String beside) {
        String old = json("{`properties`:{`v`:{`type`:`integer`},`next`:{`$ref`:`#`," + beside + "}}}");
        assertThat(changes(old, old)).isEmpty();
        assertThat(changes(old, old.replace("integer", "string"))).isNotEmpty();
    }

    @Test
    void aVersionIsComparedWithAllBeforeIt() {
        String some = "{\"properties\":{\"x\":{\"type\":\"integer\"}}}";
        String none = "{\"type\":\"object\"}";
        EventContracts contracts = EventContracts.builder()
                .add("e", 1, some)
                .add("e", 2, "{}")
                .add("e", 3, some.replace("integer", "string"))
                .add("e", 4, some.replace("integer", "string"))
                .add("accepted", 1, some)
                .add("accepted", 2, none.replace("}", ",\"x-breaks-readers\":\"x goes, and comes as text\"}"))
                .add("accepted", 3, some.replace("integer", "string").replaceFirst(".", "{\"type\":\"object\","))
                .build();
        assertThat(ContractCompatibility.betweenVersions(contracts))
                .extracting(BreakingChange::toString)
                .containsExactly("e v1 -> e v3  /x  was integer and may be string now");
    }

    private static String json(String withBackticks) {
        return withBackticks.replace('`', '"');
    }

    @Test
    void aTupleOfAnOlderDraftIsComparedAsAWhole() {
        String tuple = "{\"$schema\":\"http://json-schema.org/draft-07/schema#\",\"items\":[{\"type\":\"string\"}]}";
        assertThat(changes(tuple, tuple)).isEmpty();
        assertThat(changes(tuple, tuple.replace("string", "integer")))
                .singleElement()
                .asString()
                .contains("/[]", "check manually");
    }

    @Test
    void versionsThatKeepTheirPromisesPass() {
        assertThat(ContractCompatibility.betweenVersions(EventContracts.fromClasspath("contracts")))
                .isEmpty();
    }

    @Test
    void aBreakThatIsMeantIsToldAsAccepted() {
        EventContracts contracts = EventContracts.builder()
                .add("e", 1, "{\"type\":\"integer\"}")
                .add("e", 2, "{\"type\":\"string\",\"x-breaks-readers\":\"amounts became text\"}")
                .build();
        assertThat(ContractCompatibility.betweenVersions(contracts))
                .singleElement()
                .satisfies(change -> {
                    assertThat(change.isAccepted()).isTrue();
                    assertThat(change)
                            .hasToString(
                                    "e v1 -> e v2  /  was integer and may be string now  (accepted: amounts became text)");
                });
    }

    @Test
    void whatWasReleasedStaysUnderItsNumber() {
        EventContracts released = EventContracts.builder()
                .add("gone", 1, "{}")
                .add("e", 1, "{\"type\":\"integer\"}")
                .build();
        EventContracts next = EventContracts.builder()
                .add("e", 1, "{\"type\":\"string\",\"x-breaks-readers\":\"not under the same number\"}")
                .add("e", 2, "{}")
                .build();
        assertThat(ContractCompatibility.betweenReleases(released, next))
                .extracting(BreakingChange::toString)
                .containsExactly(
                        "e v1 -> e v1  /  was integer and may be string now",
                        "gone v1 -> -  /  the contract was removed");
        assertThat(ContractCompatibility.betweenReleases(released, released)).isEmpty();
    }
}
