package outbox.jdbc.engine;

import java.util.List;

/** MySQL and MariaDB: {@code SIGNAL}, columns that know three bytes of UTF-8. */
abstract class InnoDbRefusedOutcomes extends RefusedOutcomeContract {
    @Override
    List<String> refuse(Change change) {
        String when = switch (change) {
            case DONE -> "BEFORE UPDATE ON outbox_event FOR EACH ROW IF OLD.event_type = 'Bad' AND NEW.status = 1";
            case DELETE -> "BEFORE DELETE ON outbox_event FOR EACH ROW IF OLD.event_type = 'Bad'";
            case EVERY_OUTCOME ->
                "BEFORE UPDATE ON outbox_event FOR EACH ROW" + " IF OLD.event_type = 'Bad' AND NEW.locked_by IS NULL";
        };
        return List.of("CREATE TRIGGER refuse " + when
                + " THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not this one'; END IF");
    }

    @Override
    List<String> narrowAlphabet() {
        return List.of("ALTER TABLE outbox_event MODIFY last_error TEXT CHARACTER SET utf8");
    }

    @Override
    List<String> shortErrors() {
        return List.of("ALTER TABLE outbox_event MODIFY last_error VARCHAR(200)");
    }
}
