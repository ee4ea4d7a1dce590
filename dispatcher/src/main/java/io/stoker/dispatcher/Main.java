package io.stoker.dispatcher;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.annotations.QuarkusMain;
import io.stoker.dispatcher.store.Migration;

/**
 * Runs the dispatcher; with the argument {@code migrate}, brings the database up to date instead,
 * with {@code rehearse}, starts it without anybody to talk to and ends it again.
 */
@QuarkusMain
public final class Main {
  private Main() {}

  public static void main(String... args) {
    switch (args.length == 0 ? "" : args[0]) {
      case "migrate" -> Migration.run();
      case "rehearse" -> Rehearsal.run();
      default -> Quarkus.run(args);
    }
  }
}
