package io.stoker.dispatcher.control;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ControlMessage;
import io.stoker.dispatcher.store.Database;
import io.stoker.dispatcher.store.GroupTable;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;

/** What people ask for of groups; the same again changes nothing. */
@ApplicationScoped
public class GroupControl {
  private static final int LONGEST = 128;

  private final Database database;

  GroupControl(Database database) {
    this.database = database;
  }

  /** Answers what is wrong with the message, if anything is. */
  Uni<Optional<String>> apply(ControlMessage.Group asked) {
    String name = asked.group();
    if (name == null || name.isEmpty() || name.length() > LONGEST || name.indexOf(0) >= 0) {
      return wrong("group: " + name + ", expected 1 to " + LONGEST + " characters");
    }
    return switch (asked.action() == null ? "" : asked.action()) {
      case "create" -> done(database.transaction(session -> GroupTable.create(session, name)));
      case "close" -> done(database.transaction(session -> GroupTable.close(session, name)));
      default -> wrong("action: " + asked.action() + ", expected create or close");
    };
  }

  private static Uni<Optional<String>> done(Uni<Integer> work) {
    return work.replaceWith(Optional.empty());
  }

  private static Uni<Optional<String>> wrong(String what) {
    return Uni.createFrom().item(Optional.of(what));
  }
}
