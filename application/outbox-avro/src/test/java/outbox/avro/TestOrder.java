package outbox.avro;

import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificRecordBase;

/** As Avro generates it, for version 2 of the schema: {@code note} is new, with a default. */
public class TestOrder extends SpecificRecordBase {
    static final String V1 = """
            {"type":"record","name":"TestOrder","namespace":"outbox.avro","fields":[
              {"name":"id","type":"string"},{"name":"cents","type":"long"}]}""";
    static final String V2 = """
            {"type":"record","name":"TestOrder","namespace":"outbox.avro","fields":[
              {"name":"id","type":"string"},{"name":"cents","type":"long"},
              {"name":"note","type":"string","default":"none"}]}""";

    @SuppressWarnings("MemberName")
    public static final Schema SCHEMA$ = new Schema.Parser().parse(V2);

    private CharSequence id = "";
    private long cents;
    private CharSequence note = "";

    static TestOrder of(String id, long cents) {
        TestOrder order = new TestOrder();
        order.id = id;
        order.cents = cents;
        return order;
    }

    @Override
    public Schema getSchema() {
        return SCHEMA$;
    }

    @Override
    public Object get(int field) {
        return switch (field) {
            case 0 -> id;
            case 1 -> cents;
            default -> note;
        };
    }

    @Override
    public void put(int field, Object value) {
        switch (field) {
            case 0 -> id = (CharSequence) value;
            case 1 -> cents = (Long) value;
            default -> note = (CharSequence) value;
        }
    }

    String id() {
        return id.toString();
    }

    long cents() {
        return cents;
    }

    String note() {
        return note.toString();
    }
}
