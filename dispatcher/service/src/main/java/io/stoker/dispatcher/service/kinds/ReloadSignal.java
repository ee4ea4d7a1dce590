package io.stoker.dispatcher.service.kinds;

import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import org.jboss.logging.Logger;
import sun.misc.Signal;

/** Reads the configuration again at SIGHUP; the log says what came of it. */
@ApplicationScoped
public class ReloadSignal {
  private static final Logger LOG = Logger.getLogger(ReloadSignal.class);

  private final KindsBook kinds;

  ReloadSignal(KindsBook kinds) {
    this.kinds = kinds;
  }

  void start(@Observes StartupEvent event) {
    try {
      Signal.handle(new Signal("HUP"), signal -> reload());
    } catch (IllegalArgumentException e) {
      LOG.infof("no reload by SIGHUP here: %s", e.getMessage());
    }
  }

  private void reload() {
    kinds
        .reload()
        .subscribe()
        .with(done -> {}, error -> LOG.warnf("reload failed: %s", error.getMessage()));
  }
}
