package io.stoker.dispatcher;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.annotations.QuarkusMain;
import io.stoker.dispatcher.store.Migration;

/**
 * Runs the dispatcher; with the argument {@code migrate}, brings the database up to date instead.
 */
@QuarkusMain
public final class Main {
  private Main() {}

  public static void main(String... args) {
    if (args.length > 0 && args[0].equals("migrate")) {
      Migration.run();
    } else {
      Quarkus.run(args);
    }
  }
}
