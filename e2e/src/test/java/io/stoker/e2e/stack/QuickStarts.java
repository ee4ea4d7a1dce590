package io.stoker.e2e.stack;

import io.stoker.cli.local.Home;
import io.stoker.cli.stack.kafka.EmbeddedKafka;
import io.stoker.cli.stack.service.ServiceProgram;
import java.io.IOException;

/**
 * Has the JVM's caches of what the services' starts load made before the first of dozens of starts,
 * as {@code stoker up} makes them for later ones: that of dispatchers, which is the larger gain, at
 * once; whoever starts meanwhile waits for it. A JVM that keeps none goes without.
 */
final class QuickStarts {
  private QuickStarts() {}

  static synchronized void ready() throws IOException, InterruptedException {
    Home home = Home.locate();
    ServiceProgram.agent(home).onClassPath().makeCacheInBackground();
    EmbeddedKafka.program(home.cache(), false).makeCacheInBackground();
    ServiceProgram.dispatcher(home).onClassPath().makeCache();
  }
}
