package io.stoker.dispatcher.service.metrics;

import io.micrometer.core.instrument.config.MeterFilter;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

/** What is measured of the servers that answer HTTP. */
class ServerMeters {
  /**
   * Takes all servers as one. Quarkus names the port of a server that was given one and no port of
   * a server whose port is left to the machine (0). A registry for Prometheus refuses such a pair,
   * and the second server would never be open.
   */
  @Produces
  @Singleton
  MeterFilter withoutPort() {
    return MeterFilter.ignoreTags("server.port");
  }
}
