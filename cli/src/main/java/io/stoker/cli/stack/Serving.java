package io.stoker.cli.stack;

import io.stoker.cli.stack.child.Child;
import io.stoker.cli.stack.child.Readiness.Probe;
import io.stoker.cli.stack.probe.Probes;
import java.io.IOException;
import java.net.URI;

/** Which question tells whether a child serves. */
record Serving(StackPlan plan) {

  Probe probe(Child child) {
    return switch (child.spec().role()) {
      case KAFKA -> Probes.accepts(plan.port(child.name()));
      case POSTGRES -> plan.database()::createIfMissing;
      case REDIS -> Probes.redis(plan.port(child.name()));
      case DISPATCHER ->
          Probes.http(
              URI.create("http://127.0.0.1:%d/q/health/ready".formatted(plan.port(child.name()))));
      // An agent listens nowhere: it serves what it is sent once it has introduced itself.
      case AGENT ->
          () -> {
            if (child.pid().isEmpty()) {
              throw new IOException(child.name() + " does not run");
            }
          };
    };
  }
}
