package io.stoker.dispatcher.service.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.quarkus.runtime.ShutdownEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;

/** Configures the meters of the HTTP servers, and how long a measurement is kept. */
class ServerMeters {
  /**
   * Quarkus keeps one registry for a JVM. A dispatcher that is started after another one in it
   * shall show its own levels, and not those of objects that are no more.
   */
  void forget(@Observes ShutdownEvent event, MeterRegistry meters) {
    meters.clear();
  }

  /**
   * Takes all servers as one. Quarkus names the port of a server that was given one and no port of
   * a server whose port is left to the machine (0). A registry for Prometheus refuses such a pair,
   * and the second server would never be open.
   */
  @Singleton
  MeterFilter withoutPort() {
    return MeterFilter.ignoreTags("server.port");
  }
}
