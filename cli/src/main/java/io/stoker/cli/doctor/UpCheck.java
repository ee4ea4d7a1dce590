package io.stoker.cli.doctor;

import io.stoker.cli.local.Home;
import io.stoker.cli.outcome.CliException;
import io.stoker.cli.stack.postgres.EmbeddedPostgres;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checks whether {@code stoker up} can start here, where no stack runs and none is named. */
final class UpCheck {
  private static final String SERVICES = "services";
  private static final String POSTGRES = "PostgreSQL";

  private UpCheck() {}

  static List<Finding> run() throws InterruptedException {
    List<Finding> findings = new ArrayList<>();
    findings.add(services());
    findings.add(postgres(EmbeddedPostgres.obstacle()));
    return findings;
  }

  private static Finding services() {
    try {
      Home home = Home.locate();
      home.dispatcherJar();
      home.agentJar();
      return Finding.ok(SERVICES, "dispatcher and agent are built");
    } catch (CliException e) {
      return Finding.fail(SERVICES, e.getMessage(), "stoker up cannot start them before");
    }
  }

  static Finding postgres(Optional<String> obstacle) {
    return obstacle
        .map(
            why ->
                Finding.fail(
                    POSTGRES, why, "stoker up cannot start its own; another user or machine can"))
        .orElseGet(() -> Finding.ok(POSTGRES, "can be started here"));
  }
}
