package io.stoker.cli.stack;

import io.stoker.cli.outcome.CliException;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.rest.Access;
import io.stoker.cli.rest.Fleet;
import io.stoker.cli.rest.RestClient;
import io.stoker.cli.stack.child.Child;
import io.stoker.cli.stack.child.Readiness.Probe;
import io.stoker.cli.stack.probe.Probes;
import io.stoker.cli.stack.service.ServiceSpecs;
import java.io.IOException;
import java.net.URI;

/** The question by which a child tells that it serves. */
record Serving(StackPlan plan) {
  Probe probe(Child child) {
    return switch (child.spec().role()) {
      case KAFKA -> Probes.accepts(plan.port(child.name()));
      case POSTGRES -> plan.database()::createIfMissing;
      case REDIS -> Probes.redis(plan.port(child.name()), plan.settings().redisPassword());
      case DISPATCHER ->
          Probes.http(
              URI.create("http://127.0.0.1:%d/q/health/ready".formatted(plan.port(child.name()))));
      // An agent listens nowhere: it serves once a dispatcher has welcomed it.
      case AGENT -> plan.dispatchers().isEmpty() ? runs(child) : welcomed(child);
    };
  }

  private static Probe runs(Child child) {
    return () -> {
      if (child.pid().isEmpty()) {
        throw new IOException(child.name() + " does not run");
      }
    };
  }

  private Probe welcomed(Child agent) {
    URI dispatcher = URI.create("http://127.0.0.1:" + plan.port(plan.dispatchers().getFirst()));
    return () -> {
      try (RestClient rest =
          new RestClient(dispatcher, Access.byTokenIn(plan.addresses().tokenFile()))) {
        boolean welcome =
            new Fleet(rest)
                .hosts().stream()
                    .filter(
                        host ->
                            ServiceSpecs.agentName(host.path("host").asText()).equals(agent.name()))
                    .anyMatch(
                        host ->
                            host.path("alive").asBoolean()
                                && host.path("state").asText().equals("UP"));
        if (!welcome) {
          throw new IOException("no dispatcher has welcomed " + agent.name() + " yet");
        }
      } catch (CliException e) {
        if (e.exitCode() != ExitCode.USAGE) {
          throw e;
        }
        // It asks for a token that is not the stack's own: whom it has welcomed it does not say.
        runs(agent).ask();
      }
    };
  }
}
